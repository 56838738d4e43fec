import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Pool } from 'pg';
import { DatabaseClient } from './database-client';

/** Returns a PostgreSQL protocol message with its type, length, and body. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const ENDING = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

describe('DatabaseClient', () => {
  it('survives a server that accepts it and terminates it within one packet, before the pool’s caller listens for errors', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDING])));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const pool = new Pool({ Client: DatabaseClient, host: '127.0.0.1', port, user: 'nobody', database: 'nothing' });
    try {
      const client = await pool.connect();
      await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable/);
      client.release();
      expect(pool.totalCount).toBe(0);
    } finally {
      await pool.end();
      server.close();
    }
  });
});
