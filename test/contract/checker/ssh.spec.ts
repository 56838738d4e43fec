import { SshChecker } from '../../../src/checker/ssh/ssh.checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import {
  isSshdInstalled,
  OpenSshServer,
  Ssh2Server,
  type SshServer,
  startSshServer,
} from '../../../packages/testing/servers/ssh-server';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import {
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';

const checker = new SshChecker(dialerWith());
const running: { stop(): Promise<void> }[] = [];

const started = async <Server extends { stop(): Promise<void> }>(server: Promise<Server>): Promise<Server> => {
  running.push(await server);
  return server;
};

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

const speaking = async (script: Parameters<typeof TcpTarget.listen>[0]) => {
  const target = await TcpTarget.listen(script);
  running.push({ stop: () => target.close() });
  return target;
};

const asks = (wanted: string) => [{ source: 'banner', comparison: 'contains', target: wanted } as const];

const urlOf = ({ port }: { port: number }) => `ssh://127.0.0.1:${port}`;

const here = isSshdInstalled ? describe : describe.skip;

here(`An SSH check of OpenSSH${isSshdInstalled ? '' : ' (skipped: sshd is absent)'}`, () => {
  it.each(['ed25519', 'ecdsa', 'rsa'] as const)(
    'reports the identification and the %s key of an SSH server',
    async (type) => {
      const server = await started(OpenSshServer.start(type));
      const result = await runCheck(checker, urlOf(server));
      expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1' });
      expect(result.records).toEqual([expect.stringMatching(/^SSH-2\.0-OpenSSH_/), server.hostKey]);
      expect(result.phases.firstByteMs).toBeGreaterThan(0);
      expect(result.phases.transferMs).toBeGreaterThan(0);
      await eventually('sshd to end', () => server.open === 0);
    },
  );

  it('supports every key exchange that is still common', async () => {
    for (const method of ['ecdh-sha2-nistp521', 'diffie-hellman-group14-sha256', 'diffie-hellman-group16-sha512']) {
      const server = await started(OpenSshServer.start('ed25519', [`KexAlgorithms=${method}`]));
      const { records } = await runCheck(checker, urlOf(server));
      expect([method, records?.[1]]).toEqual([method, server.hostKey]);
    }
  });

  it('reports an SSH server as up without its host key when no key exchange is possible', async () => {
    const server = await started(OpenSshServer.start('ed25519', ['KexAlgorithms=sntrup761x25519-sha512@openssh.com']));
    const result = await runCheck(checker, urlOf(server));
    expect(result).toMatchObject({ outcome: 'up', error: null });
    expect(result.records?.[1]).toMatch(/^host key not seen: the key exchange failed: .*no matching key exchange/i);
  });
});

it("An SSH check reports the identification and the key of ssh2's server", async () => {
  const server = await started(Ssh2Server.start());
  const result = await runCheck(checker, urlOf(server));
  expect(result).toMatchObject({ outcome: 'up', error: null });
  expect(result.records).toEqual([expect.stringMatching(/^SSH-2\.0-ssh2js/), server.hostKey]);
});

describe('An SSH check', () => {
  it('reports a server as up by its identification alone, and why there is no host key', async () => {
    const target = await speaking((socket) => void socket.resume().end('hello\r\nSSH-1.99-Old\r\n'));
    const result = await runCheck(checker, urlOf(target));
    expect(result).toMatchObject({ outcome: 'up', error: null, phases: { transferMs: null } });
    expect(result.records).toEqual(['SSH-1.99-Old', expect.stringMatching(/^host key not seen: /)]);
    await target.untilLeft();
  });

  it('waits for the key exchange no longer than the timeout', async () => {
    const target = await speaking((socket) => void socket.resume().write('SSH-2.0-Tarpit\r\n'));
    const result = await runCheck(checker, urlOf(target), { timeoutMs: 300 });
    expect(result).toMatchObject({ outcome: 'up', error: null });
    expect(result.records).toEqual(['SSH-2.0-Tarpit', 'host key not seen: the key exchange did not finish in time']);
    await target.untilLeft();
  });

  it('reports a reset during the key exchange in addition to the identification', async () => {
    const target = await speaking((socket) => {
      socket.write('SSH-2.0-x\r\n', () => socket.once('data', () => socket.resetAndDestroy()));
    });
    const result = await runCheck(checker, urlOf(target));
    expect(result).toMatchObject({
      outcome: 'up',
      records: ['SSH-2.0-x', expect.stringMatching(/^host key not seen/)],
    });
  });

  it('reports a server that sends garbage after its identification as up', async () => {
    const target = await speaking(
      (socket) => void socket.resume().end(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), noise])),
    );
    const result = await runCheck(checker, urlOf(target));
    expect(result).toMatchObject({
      outcome: 'up',
      records: ['SSH-2.0-x', expect.stringMatching(/^host key not seen/)],
    });
  });

  it('judges the SSH banner by the assertions', async () => {
    const target = await speaking((socket) => void socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await runCheck(checker, urlOf(target), { assertions: asks('OpenSSH_9') })).toMatchObject({ outcome: 'up' });
    const result = await runCheck(checker, urlOf(target), { assertions: asks('dropbear') });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'assertion_failed', phase: 'assertion' } });
    expect(result.error?.message).toMatch(/dropbear.*SSH-2\.0-OpenSSH_9\.2/);
  });

  it('warns of an SSH banner that only a warning is about', async () => {
    const target = await speaking((socket) => void socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n'));
    const assertions = asks('OpenSSH_10').map((one) => ({ ...one, severity: 'warning' as const }));
    const result = await runCheck(checker, urlOf(target), { assertions });
    expect(result).toMatchObject({ outcome: 'up', error: null, warning: { code: 'assertion_failed' } });
    expect(result.warning?.message).toMatch(/OpenSSH_10.*SSH-2\.0-OpenSSH_9\.2/);
  });
});

const noise = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) & 0xff));

const live = (target: TcpTarget): LiveTarget => ({
  url: urlOf(target),
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

const liveSsh = (server: SshServer): LiveTarget => ({
  url: urlOf(server),
  arrived: () => server.arrived,
  untilLeft: async () => {
    await eventually('the server to be left alone', () => server.open === 0);
  },
});

async function open(): Promise<CheckerBench> {
  const up = await startSshServer();
  const silent = await TcpTarget.listen(silence);
  const endless = await TcpTarget.listen((socket) => {
    const talk = () => {
      while (socket.writable && socket.write('still not SSH\r\n'.repeat(100)));
    };
    socket.resume().on('drain', talk);
    talk();
  });
  const dripping = await TcpTarget.listen((socket) => {
    const drip = setInterval(() => socket.write('S'), 20);
    socket.resume().on('close', () => clearInterval(drip));
  });
  const noisy = await TcpTarget.listen((socket) => void socket.resume().end(noise));
  const slam = await TcpTarget.listen((socket) => void socket.resetAndDestroy());
  return {
    checker,
    up: liveSsh(up),
    refused: { url: `127.0.0.1:${await closedPort()}`, code: 'connection_refused', phase: 'connect' },
    silent: { ...live(silent), code: 'first_byte_timeout', phase: 'first_byte' },
    hostile: [
      { ...live(endless), name: 'talks without end', outcome: 'down' },
      { ...live(dripping), name: 'drips', outcome: 'down' },
      { ...live(noisy), name: 'sends noise', outcome: 'down' },
      { ...live(slam), name: 'resets at once', outcome: 'down' },
    ],
    close: async () => {
      await Promise.all([up.stop(), ...[silent, endless, dripping, noisy, slam].map((target) => target.close())]);
    },
  };
}

describeChecker({
  type: isSshdInstalled ? 'SSH' : 'SSH (sshd is absent, the server is that of ssh2)',
  open,
  accepted: [
    ['example.com', { host: 'example.com', port: 22 }],
    ['ssh://Example.COM', { host: 'example.com', port: 22 }],
    ['ssh://example.com:2222', { host: 'example.com', port: 2222 }],
    ['ssh://example.com/', { host: 'example.com', port: 22 }],
    ['127.1:22', { host: '127.0.0.1', port: 22 }],
    ['[::1]', { host: '::1', port: 22 }],
    ['ssh://[2001:DB8::1]:2222', { host: '2001:db8::1', port: 2222 }],
  ],
  rejected: [
    '',
    'ssh://',
    'ssh://user@example.com',
    'example.com:0',
    'example.com:65536',
    'example.com:ssh',
    'ssh://example.com/path',
    'http://example.com',
    '::1',
    'a b',
    'example.com\n',
  ],
});
