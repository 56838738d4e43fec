import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** `busy`: 429 with a short Retry-After. `hang`: takes the request and never answers. `reset`: takes it and cuts the line. */
export type AnswerMode = 'ok' | 'error' | 'busy' | 'hang' | 'reset';

/** One request as it arrived. */
export interface Arrival {
  /** First segment of its path. */
  key: string;
  /** Milliseconds since the epoch. */
  at: number;
  answered: AnswerMode;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

const STATUS = { ok: 200, error: 500, busy: 429 } as const;

/** A web server on loopback that answers each first segment of a path in a mode of its own, and can stop listening. */
export class SwitchedServer {
  private server: Server | null = null;
  private port = 0;
  private readonly sockets = new Set<Socket>();
  private readonly modes = new Map<string, AnswerMode>();

  private constructor(private readonly arrived: (arrival: Arrival) => void) {}

  static async start(arrived: (arrival: Arrival) => void = () => {}): Promise<SwitchedServer> {
    const server = new SwitchedServer(arrived);
    await server.open();
    return server;
  }

  /** Without a slash at the end; the same for its whole life. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How requests whose path begins with `/key` are answered from now on; the default is `ok`. */
  answer(key: string, mode: AnswerMode): void {
    this.modes.set(key, mode);
  }

  /** Listens again, on the same port. */
  async open(): Promise<void> {
    if (this.server) return;
    const server = createServer((request, response) => void this.serve(request, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Cuts every connection and refuses new ones. */
  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    for (const socket of this.sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = /^\/([^/?]*)/.exec(request.url ?? '')?.[1] ?? '';
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const answered = this.modes.get(key) ?? 'ok';
    const body = Buffer.concat(chunks).toString('utf8');
    this.arrived({ key, at: Date.now(), answered, headers: request.headers, body });
    if (answered === 'hang') return;
    if (answered === 'reset') return void request.socket.resetAndDestroy();
    response.writeHead(STATUS[answered], { 'retry-after': '2', 'content-type': 'text/plain' }).end(answered);
  }
}
