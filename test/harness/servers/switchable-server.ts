import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../machine/free-port';

/**
 * `busy`: 429 with a short Retry-After. `hang`: reads the request and never responds. `reset`: reads it and resets the
 * connection.
 */
export type ResponseMode = 'ok' | 'error' | 'busy' | 'hang' | 'reset';

/** A request that was read completely. */
export interface SeenRequest {
  method: string;
  path: string;
  /** The first segment of the path. */
  key: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** In milliseconds since the epoch. */
  at: number;
  /** The key's mode when the request arrived. */
  mode: ResponseMode;
}

const STATUS = { error: 500, busy: 429 } as const;

/**
 * A target or webhook receiver on loopback that records every request. `status` and `body` set all responses, and a
 * mode sets the responses for one first path segment. `hold` and `release` delay responses. After `close`, it doesn't
 * respond.
 */
export class SwitchableServer {
  /** Oldest first. */
  readonly seen: SeenRequest[] = [];
  /** The status of every response in `ok` mode. */
  status = 200;
  body = 'ok';
  private server: Server | null = null;
  private readonly modes = new Map<string, ResponseMode>();
  private held: Promise<void> | null = null;
  private letGo: () => void = () => {};

  private constructor(
    private readonly port: number,
    private readonly arrived: (request: SeenRequest) => void,
  ) {}

  static async start(arrived: (request: SeenRequest) => void = () => {}): Promise<SwitchableServer> {
    const server = new SwitchableServer(await freePort(), arrived);
    await server.open();
    return server;
  }

  static async holding(): Promise<SwitchableServer> {
    const server = await SwitchableServer.start();
    server.hold();
    return server;
  }

  /** The URL without a trailing slash. It never changes. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sets how to respond to requests whose path starts with `/key` from now on. The default is `ok`. */
  switch(key: string, mode: ResponseMode): void {
    this.modes.set(key, mode);
  }

  /** From now on, requests wait for their response until `release`. */
  hold(): void {
    this.held ??= new Promise((resolve) => (this.letGo = resolve));
  }

  /** Responds to every held and every later request with this status. */
  release(status: number): void {
    this.status = status;
    this.held = null;
    this.letGo();
  }

  async open(): Promise<void> {
    if (this.server) return;
    const server = createServer((request, response) => void this.serve(request, response));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  /** Cuts every connection and refuses new ones. */
  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const key = /^\/([^/?]*)/.exec(path)?.[1] ?? '';
    // A request that is cut off before its end doesn't count.
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const mode = this.modes.get(key) ?? 'ok';
    const seen = { method, path, key, headers, body, at: Date.now(), mode };
    this.seen.push(seen);
    this.arrived(seen);
    if (this.held) await this.held;
    if (mode === 'hang') return;
    if (mode === 'reset') return void request.socket.resetAndDestroy();
    if (mode === 'ok') response.writeHead(this.status, { 'content-type': 'text/plain' }).end(this.body);
    else response.writeHead(STATUS[mode], { 'retry-after': '2', 'content-type': 'text/plain' }).end(mode);
  }
}
