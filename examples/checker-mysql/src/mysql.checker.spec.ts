import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import mysql from 'mysql2';
import { CANARY, closedPort, describeChecker, dialerWith, silence, slam, TcpTarget } from 'uptime-monitor/testing';
import type { CheckerBench, LiveTarget } from 'uptime-monitor/testing';
import { MysqlChecker } from './mysql.checker';

const live = (target: TcpTarget): LiveTarget => ({
  url: `mysql://${target.authority}/shop`,
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

/** A server of the driver, which takes any password. */
async function mysqlServer() {
  const server = mysql.createServer((connection) => {
    connection.on('error', () => {});
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.0.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xffffff ^ 0x800,
      authCallback: (_: object, done: (error: Error | null, refusal?: object) => void) => done(null),
    });
    connection.on('query', () =>
      connection.writeTextResult(
        [{ '1': '1' }],
        [
          {
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
          },
        ],
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server as unknown as NodeJS.EventEmitter, 'listening').catch(() => undefined);
  return server;
}

const saying = (bytes: Buffer | string) => (socket: Socket) => {
  socket.on('error', () => {}).resume();
  socket.write(bytes);
};

async function open(): Promise<CheckerBench> {
  const server = await mysqlServer();
  const { port } = (server as unknown as { _server: { address(): AddressInfo } })._server.address();
  // The kit counts the connections in between.
  const up = await TcpTarget.listen((socket) => {
    const through = createTcpServer();
    through.close();
    const other = require('node:net').connect(port, '127.0.0.1') as Socket;
    socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    other.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(other).pipe(socket);
  });
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
      server.close(() => {});
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
