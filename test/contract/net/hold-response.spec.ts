import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { exchange } from '../../../src/platform/net/http/http-exchange';
import { holdResponse } from '../../../src/platform/net/http/hold-response';
import { eventually } from '../../../packages/testing/eventually';
import { TlsAuthority } from '../../harness/servers/tls-authority';

/** More than a socket accepts at once. */
const BODY = 'x'.repeat(1_000_000);

describe.each(['http', 'https'])('holdResponse over %s', (scheme) => {
  let server: ReturnType<typeof createHttpServer>;
  let requests = 0;

  beforeAll(async () => {
    const serve: RequestListener = (request, response) => {
      request.resume().on('end', () => {
        requests++;
        response.end('ok');
      });
    };
    server =
      scheme === 'http'
        ? createHttpServer(serve)
        : createHttpsServer(await (await TlsAuthority.create()).issue(), serve);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  beforeEach(() => {
    requests = 0;
  });

  async function dial(): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const isPlain = scheme === 'http';
    const socket = isPlain ? connect(port, '127.0.0.1') : connectTls({ port, rejectUnauthorized: false });
    await once(socket, isPlain ? 'connect' : 'secureConnect');
    return socket;
  }
  const arrival = () => eventually('the request has arrived', () => requests === 1);
  const ask = (socket: Socket) =>
    exchange({
      socket,
      method: 'POST',
      path: '/',
      headers: [
        ['Host', 'a'],
        ['Content-Length', String(BODY.length)],
      ],
      body: BODY,
      maxBodyBytes: 1000,
      keepBody: true,
      signal: AbortSignal.timeout(20_000),
    });

  it('reads the response only after the peer has the whole request and the given work is done', async () => {
    const socket = await dial();
    const order: string[] = [];
    const responding = ask(socket).then(({ status }) => order.push(`response ${status}`));
    void holdResponse(socket, async () => {
      await arrival();
      await new Promise((resolve) => setTimeout(resolve, 200));
      order.push('done');
    });
    await responding;
    expect(order).toEqual(['done', 'response 200']);
  });

  it('loses the response of a request that has arrived when the given work fails', async () => {
    const socket = await dial();
    const responding = ask(socket);
    void holdResponse(socket, async () => {
      await arrival();
      throw new Error('on purpose');
    });
    await expect(responding).rejects.toMatchObject({ fault: 'closed', written: true });
    expect(requests).toBe(1);
  });
});
