import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, TLSSocket } from 'node:tls';
import { eventually } from '../eventually';

/** A listener on the loopback interface that runs a script for every connection. */
export class TcpTarget {
  /** The number of connections accepted so far. */
  accepted = 0;
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    readonly host: string,
  ) {}

  /** `tls` makes it a TLS server, and the script receives the decrypted stream. */
  static async listen(
    script: (socket: Socket) => void,
    options: { host?: string; tls?: TlsOptions; port?: number } = {},
  ): Promise<TcpTarget> {
    const { host = '127.0.0.1', tls, port = 0 } = options;
    const server = tls ? createTlsServer(tls, script) : createServer(script);
    if (tls) server.on('tlsClientError', () => {});
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    const target = new TcpTarget(server, (server.address() as AddressInfo).port, host);
    server.on('connection', (socket: Socket) => target.note(socket));
    return target;
  }

  /** In the form `host:port`, with IPv6 addresses in brackets. */
  get authority(): string {
    return `${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  get openConnections(): number {
    return this.open.size;
  }

  /** Resolves when no connection is open. Rejects if one isn't closed. */
  async untilLeft(): Promise<void> {
    await eventually('every connection to be closed', () => this.open.size === 0);
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private note(socket: Socket): void {
    this.accepted += 1;
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    socket.on('error', () => {});
  }
}

/** Returns a port that nothing listens on, so that connections to it are refused. */
export async function closedPort(host = '127.0.0.1'): Promise<number> {
  const target = await TcpTarget.listen(() => {}, { host });
  await target.close();
  return target.port;
}

/** Accepts a connection and sends nothing. */
export const silence = (socket: Socket): void => {
  socket.on('error', () => {}).resume();
};

/** Closes a connection abruptly: with a reset, or without close_notify under TLS. */
export const slam = (socket: Socket): void => {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
};
