import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** A row with everything that a client queries about a server. It is the answer to every query. */
const ROW: Readonly<Record<string, string>> = {
  version: '14.9',
  number: '140009',
  server_version: '14.9',
  current_schema: 'public',
  current_database: 'monitor',
};

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const TEXT = 25;
const columns = Object.keys(ROW).map((name) =>
  Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(TEXT), int16(-1), int32(-1), int16(0)]),
);
const values = Object.values(ROW).map((value) => Buffer.concat([int32(value.length), Buffer.from(value)]));
const READY = message('Z', Buffer.from('I'));
const WELCOME = Buffer.concat([message('R', int32(0)), READY]);
const REPLY = Buffer.concat([
  message('T', Buffer.concat([int16(columns.length), ...columns])),
  message('D', Buffer.concat([int16(values.length), ...values])),
  message('C', Buffer.from('SELECT 1\0')),
  READY,
]);

/**
 * A fake PostgreSQL 14 that accepts every user and reports its version. It implements only what the service uses when
 * it starts.
 */
export async function oldPostgres(): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    let isWelcome = false;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      if (!isWelcome) socket.write(WELCOME);
      else if (chunk.toString('latin1', 0, 1) === 'Q') socket.write(REPLY);
      isWelcome = true;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}
