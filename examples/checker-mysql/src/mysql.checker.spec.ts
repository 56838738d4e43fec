import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { type ConnectionOptions, createConnection } from 'mysql2';
import { CANARY, closedPort, describeChecker, dialerWith, silence, slam, TcpTarget } from 'uptime-monitor/testing';
import type { CheckerBench, LiveTarget } from 'uptime-monitor/testing';
import { MysqlChecker } from './mysql.checker';

const live = (target: TcpTarget): LiveTarget => ({
  url: `mysql://${target.authority}/shop`,
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

/** The server's side of the driver, which takes any password, and answers each query with one row. */
function serve(socket: Socket): void {
  const options = { stream: socket, isServer: true } as ConnectionOptions;
  const connection = createConnection(options) as unknown as ServerConnection;
  connection.on('error', () => {});
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: '8.0.0',
    connectionId: 1,
    statusFlags: 2,
    characterSet: 45,
    capabilityFlags: 0xffffff ^ 0x800,
    authCallback: (_sent: object, done: (error: Error | null) => void) => done(null),
  });
  connection.on('query', () => connection.writeTextResult([{ '1': '1' }], [COLUMN]));
}

/** The half of the driver that its types don't describe. */
interface ServerConnection {
  on(event: string, listener: () => void): void;
  serverHandshake(greeting: object): void;
  writeTextResult(rows: readonly object[], columns: readonly object[]): void;
}

const COLUMN = {
  catalog: 'def',
  schema: '',
  table: '',
  orgTable: '',
  name: '1',
  orgName: '1',
  characterSet: 45,
  columnLength: 1,
  columnType: 253,
  flags: 0,
  decimals: 0,
};

const saying = (bytes: Buffer | string) => (socket: Socket) => {
  socket.on('error', () => {}).resume();
  socket.write(bytes);
};

async function open(): Promise<CheckerBench> {
  const up = await TcpTarget.listen(serve);
  const [silent, rude] = [await TcpTarget.listen(silence), await TcpTarget.listen(slam)];
  const [noise, web] = [
    await TcpTarget.listen(saying(randomBytes(10_000))),
    await TcpTarget.listen(saying('HTTP/1.1 400\r\n\r\n')),
  ];
  const targets = [up, silent, rude, noise, web];
  return {
    checker: new MysqlChecker(dialerWith()),
    up: live(up),
    refused: { url: `mysql://127.0.0.1:${await closedPort()}/shop`, code: 'connection_refused', phase: 'connect' },
    silent: { ...live(silent), code: 'first_byte_timeout', phase: 'first_byte' },
    hostile: [
      { ...live(rude), name: 'resets at once', outcome: 'down' },
      { ...live(noise), name: 'sends 10,000 random bytes', outcome: 'down' },
      { ...live(web), name: 'speaks HTTP', outcome: 'down' },
    ],
    close: async () => {
      await Promise.all(targets.map((target) => target.close()));
    },
  };
}

describeChecker({
  type: 'MYSQL',
  open,
  settings: { user: 'monitor', password: CANARY, query: 'SELECT 1' },
  accepted: [['mysql://DB.example.com/shop', { host: 'db.example.com', port: 3306, database: 'shop' }]],
  rejected: ['', 'mysql://db', 'mysql://user@db/shop', 'http://db/shop'],
});
