import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Caller } from './caller';

describe('a caller of the contract', () => {
  let server: Server;
  let caller: Caller;
  /** The responses to send first, in order. */
  let refusals: [status: number, body: object][];
  beforeEach(async () => {
    const used = new WeakSet<Socket>();
    refusals = [];
    // Simulates a server that closes an idle connection just as the next request arrives.
    server = createServer(({ socket }, response) => {
      if (used.has(socket)) socket.destroy();
      else {
        const [status, body] = refusals.shift() ?? [200, {}];
        response.writeHead(status, { 'retry-after': '0' }).end(JSON.stringify(body));
      }
      used.add(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    caller = new Caller(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, null, () => {});
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('sends nothing on a connection that the service may be about to close', async () => {
    for (let turn = 0; turn < 3; turn++) expect((await caller.post('/websites', {})).status).toBe(200);
  });

  it('retries when the service is busy, but not when its storage is unavailable', async () => {
    refusals = [
      [429, {}],
      [503, { code: 'temporarily_unavailable' }],
    ];
    expect((await caller.post('/websites', {})).status).toBe(200);
    refusals = [[503, { code: 'storage_unavailable' }]];
    expect((await caller.post('/websites', {})).status).toBe(503);
  });
});
