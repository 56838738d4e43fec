import type { Socket } from 'node:net';
import { RedisChecker } from '../../../src/checker/redis/redis.checker';
import {
  CANARY,
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { answering, hostileServers } from './hostile-bytes';

/** Reads one command of RESP: an array of bulk strings. Returns `null` while it is incomplete. Throws if it is wrong. */
function readCommand(received: Buffer): { words: string[]; used: number } | null {
  const words: string[] = [];
  let at = 0;
  const head = (mark: string): number | null => {
    const end = received.indexOf('\r\n', at);
    if (end < 0) return null;
    const text = received.toString('latin1', at, end);
    if (!new RegExp(`^\\${mark}\\d+$`).test(text)) throw new Error(`${text} is not RESP`);
    at = end + 2;
    return Number(text.slice(1));
  };
  const count = head('*');
  if (count === null) return null;
  for (let i = 0; i < count; i++) {
    const length = head('$');
    if (length === null || received.length < at + length + 2) return null;
    words.push(received.toString('utf8', at, at + length));
    if (received.toString('latin1', at + length, at + length + 2) !== '\r\n') throw new Error('a string does not end');
    at += length + 2;
  }
  return { words, used: at };
}

/** A server that follows the specification of RESP, with one user. */
const redis =
  (user: string, password: string | null) =>
  (socket: Socket): void => {
    let received = Buffer.alloc(0);
    let isIn = password === null;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let next = readCommand(received); next !== null; next = readCommand(received)) {
        received = received.subarray(next.used);
        const [name, ...words] = next.words;
        if (name === 'AUTH') {
          const [as, secret] = words.length === 1 ? ['default', words[0]] : words;
          isIn ||= as === user && secret === password;
          socket.write(isIn ? '+OK\r\n' : '-WRONGPASS invalid username-password pair\r\n');
        } else socket.write(isIn ? '+PONG\r\n' : '-NOAUTH Authentication required.\r\n');
      }
    });
  };

const live = (target: TcpTarget): LiveTarget => ({
  url: `redis://${target.authority}`,
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

const settings = { user: 'monitor', password: CANARY };

async function open(): Promise<CheckerBench> {
  const up = await TcpTarget.listen(redis('monitor', CANARY));
  const { hostile, silent, close } = await hostileServers((authority) => `redis://${authority}`, {
    'answers with a line without end': answering('+'.padEnd(5000, 'O')),
    'answers with an error that contains the password': answering(`-ERR ${CANARY}\r\n`),
    'refuses PING after AUTH': answering('+OK\r\n', '-LOADING data\r\n'),
  });
  return {
    checker: new RedisChecker(dialerWith()),
    up: live(up),
    refused: { url: `redis://127.0.0.1:${await closedPort()}`, code: 'connection_refused', phase: 'connect' },
    silent: { ...silent, code: 'first_byte_timeout', phase: 'first_byte' },
    hostile,
    close: async () => {
      await Promise.all([up.close(), close()]);
    },
  };
}

describeChecker({
  type: 'REDIS',
  open,
  settings,
  accepted: [
    ['redis://Cache.example.com', { host: 'cache.example.com', port: 6379, secure: false }],
    ['rediss://cache:6380', { host: 'cache', port: 6380, secure: true }],
    ['cache:6380', { host: 'cache', port: 6380, secure: false }],
  ],
  rejected: ['', 'redis://', 'redis://cache:0', 'redis://user@cache', 'redis://cache/0', 'http://cache'],
});

describe('A Redis check', () => {
  it.each([
    ['without a password', {}, 'default', null, null],
    ['with the password of the default user', { password: 'p' }, 'default', 'p', null],
    ['with a wrong password', { password: 'q' }, 'default', 'p', 'The server answered AUTH with the error WRONGPASS.'],
    ['without the required password', {}, 'default', 'p', 'The server answered PING with the error NOAUTH.'],
    ['with a password that contains a command', { password: 'p\r\nSHUTDOWN' }, 'default', 'p\r\nSHUTDOWN', null],
  ])('%s', async (_, sent, user, password, message) => {
    const target = await TcpTarget.listen(redis(user, password));
    const result = await runCheck(new RedisChecker(dialerWith()), `redis://${target.authority}`, { settings: sent });
    expect(result.error?.message ?? null).toBe(message);
    await target.close();
  });
});
