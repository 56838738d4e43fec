import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import {
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';

const live = (target: TcpTarget): LiveTarget => ({
  url: `tcp://${target.authority}`,
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

async function open(): Promise<CheckerBench> {
  const up = await TcpTarget.listen(silence);
  const slam = await TcpTarget.listen((socket) => socket.resetAndDestroy());
  const chatter = await TcpTarget.listen((socket) => {
    socket.on('error', () => {}).resume();
    socket.write(Buffer.alloc(1_000_000, 7));
  });
  return {
    checker: new TcpChecker(dialerWith()),
    up: live(up),
    refused: { url: `127.0.0.1:${await closedPort()}`, code: 'connection_refused', phase: 'connect' },
    hostile: [
      { ...live(slam), name: 'resets at once' },
      { ...live(chatter), name: 'talks without end', outcome: 'up' },
    ],
    close: async () => {
      await Promise.all([up.close(), slam.close(), chatter.close()]);
    },
  };
}

describeChecker({
  type: 'TCP',
  open,
  accepted: [
    ['tcp://example.com:443', { host: 'example.com', port: 443 }],
    ['TCP://Example.COM:443', { host: 'example.com', port: 443 }],
    ['example.com:1', { host: 'example.com', port: 1 }],
    ['10.0.0.1:65535', { host: '10.0.0.1', port: 65_535 }],
    ['127.1:80', { host: '127.0.0.1', port: 80 }],
    ['[::1]:22', { host: '::1', port: 22 }],
    ['tcp://[2001:DB8::1]:22', { host: '2001:db8::1', port: 22 }],
    ['my_service:8080', { host: 'my_service', port: 8080 }],
  ],
  rejected: [
    '',
    'example.com',
    'tcp://example.com',
    'example.com:0',
    'example.com:65536',
    'example.com:port',
    'example.com:80/path',
    'user@example.com:80',
    'http://example.com:80',
    '::1:22',
    '[::1:22',
    '[fe80::1%eth0]:22',
    'a b:80',
    'a\tb:80',
    'example.com:80\n',
    'example..com:80',
    '/var/run/socket:80',
  ],
});

describe('A TCP check of a server that speaks first', () => {
  /** Records how the connections to it ended: the errors that the server saw. */
  async function greeter(greet: (socket: Socket) => void) {
    const errors: string[] = [];
    const ends = { count: 0 };
    const target = await TcpTarget.listen((socket) => {
      socket.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? ''));
      socket.on('end', () => void ends.count++);
      greet(socket.resume());
    });
    return { target, errors, ends };
  }

  it.each([
    ['at once', (socket: Socket) => void socket.write('x'.repeat(80))],
    ['a little later', (socket: Socket) => void setTimeout(() => socket.write('x'.repeat(80)), 3)],
    ['with more than one packet', (socket: Socket) => void socket.write('x'.repeat(20_000))],
  ])('ends each connection without a reset if the server speaks %s', async (_, greet) => {
    const { target, errors, ends } = await greeter(greet);
    const checker = new TcpChecker(dialerWith());
    for (let round = 0; round < 5; round++) {
      const results = await Promise.all(Array.from({ length: 10 }, () => runCheck(checker, target.authority)));
      expect(results.every(({ outcome }) => outcome === 'up')).toBe(true);
    }
    await target.untilLeft();
    expect([errors, ends.count]).toEqual([[], 50]);
    await target.close();
  });

  it('does not wait for a server that does not end the connection, and disconnects after a second', async () => {
    const errors: Error[] = [];
    let served: Socket | undefined;
    const deaf = createServer({ allowHalfOpen: true }, (socket) => {
      served = socket.on('error', (error) => errors.push(error)).resume();
      socket.write('hello');
    });
    deaf.listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as AddressInfo;
    const startedAt = performance.now();
    expect(await runCheck(new TcpChecker(dialerWith()), `127.0.0.1:${port}`)).toMatchObject({ outcome: 'up' });
    expect(performance.now() - startedAt).toBeLessThan(900);
    await eventually('the connection to be closed', () => {
      served?.write('x');
      return errors.length > 0;
    });
    served?.destroy();
    deaf.close();
  });
});
