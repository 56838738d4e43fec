import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { PostgresChecker } from '../../../src/checker/postgres/postgres.checker';
import {
  CANARY,
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { hostileServers } from './hostile-bytes';

const message = (type: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const ready = message('Z', 'I');
const error = (code: string): Buffer => message('E', 'SFATAL\0', `C${code}\0`, `M${CANARY}\0\0`);

interface Role {
  password: string;
  way: 'scram' | 'md5' | 'cleartext' | 'trust';
  /** The rows that each query returns. */
  rows?: number;
  iterations?: number;
  /** True if the server does not know the password, and accepts anything. */
  isImpostor?: boolean;
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The server's half of the protocol, strict about what the client sends. */
function postgres({ password, way, rows = 1, iterations = 4096, isImpostor = false }: Role) {
  return (socket: Socket): void => {
    let received = Buffer.alloc(0);
    let stage: 'first' | 'initial' | 'final' | 'password' | 'in' = 'first';
    let [bare, challenge] = ['', ''];
    const salt = randomBytes(16);
    const accept = (...before: Buffer[]): void => {
      stage = 'in';
      socket.write(
        Buffer.concat([
          ...before,
          message('R', int(0)),
          message('S', 'server_version\x0016\0'),
          message('K', int(1), int(2)),
          ready,
        ]),
      );
    };
    const refuse = (): void => void socket.end(error('28P01'));
    const first = (body: Buffer): void => {
      if (body.readInt32BE(0) === 80_877_103) return void socket.write('N');
      const words = body.toString('utf8', 4).split('\0');
      expect(words.slice(0, 4)).toEqual(['user', 'monitor', 'database', 'shop']);
      if (way === 'trust') return accept();
      stage = way === 'scram' ? 'initial' : 'password';
      socket.write(
        way === 'scram'
          ? message('R', int(10), 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0')
          : message('R', int(way === 'md5' ? 5 : 3), way === 'md5' ? salt.subarray(0, 4) : ''),
      );
    };
    const take = (type: string, body: Buffer): void => {
      if (stage === 'initial') {
        const sent = body.toString('utf8');
        bare = sent.slice(sent.indexOf('n,,') + 3);
        challenge = `r=${bare.split('r=')[1]}server,s=${salt.toString('base64')},i=${iterations}`;
        stage = 'final';
        socket.write(message('R', int(11), challenge));
      } else if (stage === 'final') {
        const [, without = '', proof = ''] = /^(c=biws,r=[^,]+),p=(.+)$/.exec(body.toString('utf8')) ?? [];
        const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
        const key = hmac(salted, 'Client Key');
        const signature = hmac(createHash('sha256').update(key).digest(), `${bare},${challenge},${without}`);
        const expected = Buffer.from(key.map((byte, i) => byte ^ (signature[i] ?? 0))).toString('base64');
        if (proof !== expected && !isImpostor) return refuse();
        const own = hmac(hmac(salted, 'Server Key'), `${bare},${challenge},${without}`);
        accept(message('R', int(12), `v=${(isImpostor ? randomBytes(32) : own).toString('base64')}`));
      } else if (stage === 'password') {
        const md5 = (text: string | Buffer, more: string | Buffer): string =>
          createHash('md5').update(text).update(more).digest('hex');
        const expected = way === 'md5' ? `md5${md5(md5(password, 'monitor'), salt.subarray(0, 4))}` : password;
        if (body.toString('utf8') === `${expected}\0`) accept();
        else refuse();
      } else if (type === 'S') {
        const data = Array.from({ length: rows }, () => message('D', Buffer.from([0, 1]), int(1), '1'));
        socket.write(
          Buffer.concat([
            message('1'),
            message('2'),
            message('C', 'BEGIN\0'),
            message('1'),
            message('2'),
            ...data,
            message('C', 'SELECT\0'),
            ready,
          ]),
        );
      }
    };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const head = stage === 'first' ? 0 : 1;
        if (received.length < head + 4) return;
        const length = received.readInt32BE(head);
        if (received.length < head + length) return;
        const body = Buffer.from(received.subarray(head + 4, head + length));
        const type = received.toString('latin1', 0, head);
        received = received.subarray(head + length);
        if (stage === 'first') first(body);
        else take(type, body);
      }
    });
  };
}

const urlOf = (authority: string): string => `postgres://${authority}/shop`;
const live = (target: TcpTarget): LiveTarget => ({
  url: urlOf(target.authority),
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

async function open(): Promise<CheckerBench> {
  const up = await TcpTarget.listen(postgres({ password: CANARY, way: 'scram' }));
  const { hostile, silent, close } = await hostileServers(urlOf, {
    'wants a million iterations': postgres({ password: CANARY, way: 'scram', iterations: 1_000_000 }),
    'wants the password in plain text': postgres({ password: CANARY, way: 'cleartext' }),
    'does not know the password': postgres({ password: CANARY, way: 'scram', isImpostor: true }),
    'returns no row': postgres({ password: CANARY, way: 'scram', rows: 0 }),
    'announces a message of 2 GiB': (socket) => {
      socket.on('error', () => {}).once('data', () => socket.write('N'));
      socket.on('data', () => socket.write(Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff])));
    },
    'sends data before TLS is started': (socket) => {
      socket.on('error', () => {}).once('data', () => socket.write('SE'));
    },
  });
  return {
    checker: new PostgresChecker(dialerWith()),
    up: live(up),
    refused: { url: urlOf(`127.0.0.1:${await closedPort()}`), code: 'connection_refused', phase: 'connect' },
    silent: { ...silent, code: 'first_byte_timeout', phase: 'first_byte' },
    hostile,
    close: async () => {
      await Promise.all([up.close(), close()]);
    },
  };
}

describeChecker({
  type: 'POSTGRES',
  open,
  settings: { user: 'monitor', password: CANARY, query: 'SELECT 1' },
  accepted: [
    ['postgres://DB.example.com/shop', { host: 'db.example.com', port: 5432, database: 'shop' }],
    ['postgresql://db:6432/my%20shop', { host: 'db', port: 6432, database: 'my shop' }],
  ],
  rejected: [
    '',
    'db:5432',
    'postgres://db',
    'postgres://user:p@db/shop',
    'postgres://db/shop?x=1',
    'postgres://db/%00',
  ],
});

describe('A PostgreSQL check', () => {
  const check = async (role: Role, settings: object) => {
    const target = await TcpTarget.listen(postgres(role));
    const result = await runCheck(new PostgresChecker(dialerWith()), urlOf(target.authority), {
      settings: { user: 'monitor', ...settings },
    });
    await target.close();
    return result;
  };

  it.each<[string, Role, object, string | null]>([
    ['signs in with SCRAM', { password: 'p', way: 'scram' }, { password: 'p' }, null],
    ['signs in with MD5', { password: 'p', way: 'md5' }, { password: 'p' }, null],
    ['signs in without a password', { password: 'p', way: 'trust' }, {}, null],
    [
      'shows only the code of an error',
      { password: 'p', way: 'scram' },
      { password: 'q' },
      'The server refused the sign-in of the role monitor with the error 28P01.',
    ],
    [
      'fails without TLS if the settings require it',
      { password: 'p', way: 'scram' },
      { password: 'p', tls: 'require' },
      'The server does not support TLS.',
    ],
    ['does not ask for TLS if it is off', { password: 'p', way: 'scram' }, { password: 'p', tls: 'off' }, null],
    [
      'is down if the query returns no row',
      { password: 'p', way: 'trust', rows: 0 },
      { query: 'SELECT 1 WHERE false' },
      'The query returned no row.',
    ],
  ])('%s', async (_, role, settings, sentence) => {
    expect((await check(role, settings)).error?.message ?? null).toBe(sentence);
  });
});

const real = process.env['TEST_DATABASE_URL'];
// Without the variable there is no server to connect to, and the suite above covers the protocol.
(real === undefined ? describe.skip : describe)('A PostgreSQL check of a real server', () => {
  const { username, password, hostname, port, pathname } = new URL(real ?? 'postgres://none/none');
  const url = `postgres://${hostname}:${port || '5432'}${pathname}`;
  const settings = {
    user: decodeURIComponent(username),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };

  it.each([
    ['signs in', {}, null],
    ['runs a query', { query: 'SELECT 1' }, null],
    ['runs no second statement', { query: 'SELECT 1; SELECT 2' }, /refused the query with the error 42601/],
    ['changes nothing', { query: 'CREATE TABLE left_by_a_check (id int)' }, /refused the query with the error 25006/],
    ['needs a row', { query: 'SELECT 1 WHERE false' }, /returned no row/],
  ])('%s', async (_, more, sentence) => {
    const result = await runCheck(new PostgresChecker(dialerWith()), url, { settings: { ...settings, ...more } });
    if (sentence === null) expect(result.error).toBeNull();
    else expect(result.error?.message).toMatch(sentence);
  });
});
