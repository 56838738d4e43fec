import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import {
  type CheckerBench,
  describeChecker,
  type LiveTarget,
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
