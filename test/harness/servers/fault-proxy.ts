import { connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The fault that the proxy applies to its connections. */
export type Fault =
  | 'none'
  /** Accepts connections and keeps them open, but passes nothing in either direction, like a half-open connection. */
  | 'silent'
  /** Resets open connections, and immediately resets every new one. */
  | 'reset';

/** A proxy between a client and a server on loopback that breaks their connections on demand. */
export class FaultProxy {
  private fault: Fault = 'none';
  private readonly pairs = new Set<readonly [Socket, Socket]>();

  private constructor(
    private readonly server: Server,
    private targetPort: () => number | null,
  ) {}

  /** `target` is a port, or a function that returns one for each connection. `null` means that nothing is listening. */
  static async to(target: number | (() => number | null)): Promise<FaultProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new FaultProxy(server, typeof target === 'number' ? () => target : target);
    server.on('connection', (client: Socket) => proxy.join(client));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.pairs.size;
  }

  /** Applies to open and new connections from now on. Data held back during `silent` is sent afterward. */
  set(fault: Fault): void {
    this.fault = fault;
    for (const pair of this.pairs) this.apply(pair);
  }

  /** Sends new connections to another port from now on, and cuts open ones. */
  repoint(targetPort: number): void {
    this.targetPort = () => targetPort;
    this.cut();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private cut(): void {
    for (const [client, upstream] of this.pairs) {
      client.destroy();
      upstream.destroy();
    }
  }

  private join(client: Socket): void {
    const port = this.targetPort();
    if (this.fault === 'reset' || port === null) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('error', () => {});
      from.on('data', (chunk: Buffer) => to.write(chunk));
      from.on('end', () => to.end());
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
    }
    this.apply(pair);
  }

  private apply(pair: readonly [Socket, Socket]): void {
    for (const socket of pair) {
      if (this.fault === 'reset') socket.resetAndDestroy();
      else if (this.fault === 'silent') socket.pause();
      else socket.resume();
    }
  }
}
