import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { readEscapes } from '../../../src/checker/escaped-text';
import { settingsProblems } from '../../../src/checker/settings-problems';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { type ServerIdentity, TlsAuthority } from '../../harness/servers/tls-authority';
import {
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { answering, greeting, hostileServers } from './hostile-bytes';

const live = (target: TcpTarget): LiveTarget => ({
  url: `tcp://${target.authority}`,
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

async function open(): Promise<CheckerBench> {
  const { hostile, silent, close } = await hostileServers((authority) => `tcp://${authority}`);
  const speaking = await TcpTarget.listen((socket) => {
    socket.on('error', () => {}).on('data', () => socket.write('noise then +OK\r\n'));
  });
  return {
    checker: new TcpChecker(dialerWith()),
    up: live(speaking),
    refused: { url: `tcp://127.0.0.1:${await closedPort()}`, code: 'connection_refused', phase: 'connect' },
    silent: { ...silent, code: 'first_byte_timeout', phase: 'first_byte' },
    hostile,
    close: async () => {
      await Promise.all([speaking.close(), close()]);
    },
  };
}

describeChecker({
  type: 'TCP with a dialogue',
  open,
  settings: { send: 'PING\\r\\n', expect: '+OK\\r\\n' },
  accepted: [['tcp://example.com:25', { host: 'example.com', port: 25 }]],
  rejected: ['', 'example.com'],
});

/** Speaks a protocol up to STARTTLS, and then TLS. */
function startTls(identity: ServerIdentity, script: (socket: Socket) => void, after: (secured: Socket) => void) {
  const server = createTlsServer(identity, after).on('tlsClientError', () => {});
  return (socket: Socket): void => {
    script(socket);
    const write = socket.write.bind(socket);
    // The script's last line hands the connection over.
    socket.write = (text: string) => {
      const result = write(text.replace('{TLS}', ''));
      if (text.includes('{TLS}')) {
        socket.removeAllListeners('data');
        server.emit('connection', socket);
      }
      return result;
    };
  };
}

describe('A TCP check with STARTTLS', () => {
  let authority: TlsAuthority;
  let identity: ServerIdentity;
  beforeAll(async () => {
    authority = await TlsAuthority.create();
    identity = await authority.issue({ untilDays: 10 });
  });

  const check = async (script: (socket: Socket) => void, settings: object, options: object = {}) => {
    const target = await TcpTarget.listen(script);
    const checker = new TcpChecker(dialerWith({ roots: [authority.rootPem] }));
    const result = await runCheck(checker, target.authority, { settings, timeoutMs: 2000, ...options });
    await target.untilLeft();
    await target.close();
    return result;
  };
  const greets = (text: string) => (secured: Socket) => void secured.on('error', () => {}).write(text);

  it.each([
    ['smtp', greeting('220-mx\r\n220 ready\r\n', '250-mx\r\n250 STARTTLS\r\n', '220 go{TLS}\r\n')],
    ['imap', greeting('* OK ready\r\n', '* BYE no\r\na1 OK begin{TLS}\r\n')],
    ['pop3', greeting('+OK ready\r\n', '+OK begin{TLS}\r\n')],
    ['ftp', greeting('220 ready\r\n', '234 go{TLS}\r\n')],
    ['postgres', answering('S{TLS}')],
  ] as const)('verifies and reports the certificate of a server that speaks %s', async (starttls, script) => {
    // The greeting is sent before the script's writes are watched, so the scripts start a moment later.
    const late = (socket: Socket): void => void setImmediate(() => script(socket));
    const result = await check(
      startTls(identity, late, greets('hello')),
      { starttls, expect: 'hello' },
      { certificateWarnDays: 14 },
    );
    expect(result).toMatchObject({
      outcome: 'up',
      certificate: { issuer: 'Test Root' },
      warning: { code: 'certificate_expiring' },
    });
    expect(result.phases.tlsMs).toBeGreaterThan(0);
  });

  it.each([
    ['smtp', 'refuses', greeting('220 ready\r\n', '250 mx\r\n', '502 no\r\n'), 'The server did not answer with 220.'],
    ['imap', 'refuses', greeting('* OK\r\n', 'a1 NO\r\n'), 'The server refused STARTTLS.'],
    ['pop3', 'is another server', greeting('220 ready\r\n'), 'The server did not answer with +OK.'],
    [
      'ftp',
      'sends lines without end',
      greeting('220-a\r\n'.repeat(200)),
      'The server sent a reply of more than 100 lines.',
    ],
    ['postgres', 'has no TLS', answering('N'), 'The server does not support TLS.'],
    [
      'smtp',
      'sends more than its answer',
      greeting('220 ready\r\n', '250 mx\r\n', '220 go\r\n250 injected\r\n'),
      'The server sent data before TLS was started.',
    ],
  ] as const)('is down if a server of %s %s', async (starttls, _, script, sentence) => {
    expect((await check(script, { starttls })).error?.message).toBe(sentence);
  });

  it('is down if the certificate is not valid, and sends nothing to such a server', async () => {
    const other = await TlsAuthority.create('Other Root');
    let heard = '';
    const after = (secured: Socket): void =>
      void secured.on('error', () => {}).on('data', (chunk) => (heard += String(chunk)));
    const late = (socket: Socket): void => void setImmediate(() => greeting('+OK\r\n', '+OK{TLS}\r\n')(socket));
    const result = await check(startTls(await other.issue(), late, after), {
      starttls: 'pop3',
      send: 'USER',
      expect: 'x',
    });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls_untrusted', phase: 'tls' } });
    expect(heard).toBe('');
  });

  it('starts TLS at once if the settings say so', async () => {
    const target = await TcpTarget.listen(greets('220 hello'), { tls: identity });
    const checker = new TcpChecker(dialerWith({ roots: [authority.rootPem] }));
    const settings = { tls: true, expect: '220 ' };
    const expires = { source: 'certificate_days', comparison: 'greater_than', target: '20' } as const;
    expect(await runCheck(checker, target.authority, { settings })).toMatchObject({ outcome: 'up' });
    expect(await runCheck(checker, target.authority, { settings, assertions: [expires] })).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion_failed' },
    });
    await target.close();
  });

  it('refuses settings that exclude each other, and invalid texts', () => {
    const found = (settings: object) =>
      settingsProblems(new TcpChecker(dialerWith()), settings, 'a:1').map(({ pointer, code }) => `${pointer} ${code}`);
    expect(found({ tls: true, starttls: 'smtp' })).toEqual(['/starttls invalid_format']);
    expect(found({ starttls: 'xmpp' })).toEqual(['/starttls invalid_format']);
    expect(found({ send: '\\q' })).toEqual(['/send invalid_format']);
    expect(found({ send: '' })).toEqual(['/send required']);
    expect(found({ expect: 'x'.repeat(1025) })).toEqual(['/expect too_long']);
    expect(found({ ip: '5' })).toEqual(['/ip invalid_format']);
  });
});

describe('a text with escapes', () => {
  it.each([
    ['a', [0x61]],
    ['\\r\\n\\t\\0\\\\', [13, 10, 9, 0, 92]],
    ['\\x00\\xfFz', [0, 255, 0x7a]],
    ['ä', [0xc3, 0xa4]],
    ['\\', null],
    ['\\x0', null],
    ['\\xg0', null],
    ['\\u0041', null],
  ])('%j is %j', (text, bytes) => {
    expect(readEscapes(text)).toEqual(bytes && Buffer.from(bytes));
  });
});
