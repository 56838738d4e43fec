import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { UdpChecker } from '../../../src/checker/udp/udp.checker';
import { type CheckerBench, describeChecker, runCheck } from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';

interface UdpTarget {
  url: string;
  arrived: () => number;
  close: () => Promise<void>;
}

/** A server that answers each datagram. */
async function listen(answer: (socket: Socket, from: RemoteInfo, received: Buffer) => void): Promise<UdpTarget> {
  const socket = createSocket('udp4');
  let count = 0;
  socket.on('message', (received, from) => {
    count++;
    answer(socket, from, received);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    url: `udp://127.0.0.1:${socket.address().port}`,
    arrived: () => count,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const saying =
  (...texts: (string | Buffer)[]) =>
  (socket: Socket, { port, address }: RemoteInfo) => {
    for (const text of texts) socket.send(text, port, address);
  };

const echo = (socket: Socket, { port, address }: RemoteInfo, received: Buffer) => socket.send(received, port, address);

async function open(): Promise<CheckerBench> {
  const up = await listen(saying('noise', 'the pong\n'));
  const silent = await listen(() => {});
  const chatter = await listen(saying(...Array.from({ length: 150 }, () => 'noise')));
  const random = await listen(saying(randomBytes(10_000)));
  const empty = await listen(saying(''));
  const targets = [up, silent, chatter, random, empty];
  return {
    checker: new UdpChecker(dialerWith()),
    up,
    silent: { ...silent, code: 'first_byte_timeout', phase: 'first_byte' },
    hostile: [
      { ...chatter, name: 'answers 150 times with other texts', outcome: 'down' },
      { ...random, name: 'sends 10,000 random bytes', outcome: 'down' },
      { ...empty, name: 'sends an empty answer', outcome: 'down' },
    ],
    close: async () => {
      await Promise.all(targets.map((target) => target.close()));
    },
  };
}

describeChecker({
  type: 'UDP',
  open,
  settings: { send: 'ping\\n', expect: 'pong\\n' },
  accepted: [
    ['udp://example.com:53', { host: 'example.com', port: 53 }],
    ['[::1]:7', { host: '::1', port: 7 }],
  ],
  rejected: ['', 'udp://example.com', 'example.com:0', 'tcp://example.com:1'],
});

describe('A UDP check', () => {
  it('is down at once if the port is unreachable', async () => {
    const target = await listen(() => {});
    await target.close();
    const result = await runCheck(new UdpChecker(dialerWith()), target.url, { settings: { send: 'x' } });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'connection_refused', phase: 'connect' } });
    expect(result.durationMs).toBeLessThan(2000);
  });

  it('sends the bytes of escapes, and accepts any answer without an expected text', async () => {
    const seen: Buffer[] = [];
    const target = await listen((socket, from, received) => {
      seen.push(received);
      echo(socket, from, received);
    });
    const result = await runCheck(new UdpChecker(dialerWith()), target.url, { settings: { send: '\\x00\\xff\\\\é' } });
    expect(result.outcome).toBe('up');
    expect(seen).toEqual([Buffer.from([0, 0xff, 0x5c, 0xc3, 0xa9])]);
    await target.close();
  });
});
