import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy that forwards connections (CONNECT) for clients with these credentials. */
export class ConnectProxy {
  /** The `host:port` of each connection that a client requested, and whether it was established. */
  readonly asked: { authority: string; passed: boolean }[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((_, response) => response.writeHead(400).end());

  private constructor(private readonly credentials: string) {
    this.server.on('connection', (socket: Socket) => this.sockets.add(socket));
    this.server.on('connect', (request, client: Socket, head: Buffer) => {
      const basic = `Basic ${Buffer.from(credentials).toString('base64')}`;
      const passed = request.headers['proxy-authorization'] === basic;
      const authority = request.url ?? '';
      this.asked.push({ authority, passed });
      client.on('error', () => {});
      if (!passed) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      const [host = '', port] = authority.split(':');
      const target = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.write(head);
        target.pipe(client).pipe(target);
      });
      this.sockets.add(target);
      target.on('error', () => client.destroy());
    });
  }

  static async listen(credentials: string): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(credentials);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** Returns the proxy's URL, optionally with wrong credentials. */
  url(credentials = this.credentials): string {
    return `http://${credentials}@127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
