import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it arrived. */
export interface ReceivedRequest {
  method: string;
  /** The path, including the query string. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The response status. `null` if there was no response, although the provider may have accepted the request. */
  status: number | null;
  /** Whether the request's socket has been closed since then. */
  closed: boolean;
}

/** A response that is sent unchanged. */
export interface ScriptedResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** The action for one request: respond, never respond, or reset the connection. */
export type ProviderAction = ScriptedResponse | 'hang' | 'reset';

/** An action, or a function that chooses one based on the request. The function must not throw. */
export type ProviderScript = ProviderAction | ((request: ReceivedRequest) => ProviderAction);

/**
 * A notification provider on a real loopback socket. Each request takes the next queued script, or else the standing
 * script. If there is neither, the request returns 599, and `verify` fails the test.
 */
export class FakeProvider {
  readonly requests: ReceivedRequest[] = [];
  private readonly unexpected: ReceivedRequest[] = [];
  /** Open connections, each with the requests it received. */
  private readonly sockets = new Map<Socket, ReceivedRequest[]>();
  private scripts: ProviderScript[] = [];
  private standing: ProviderScript | null = null;
  private readonly standingAt = new Map<string, ProviderScript>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.set(socket, []);
      socket.on('close', () => this.closed(socket));
    });
    server.on('request', (request, response) => {
      void this.serve(request, response);
    });
  }

  static async start(): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  /** `http://127.0.0.1:port`, without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Queues one script for each of the next requests. */
  expect(...scripts: ProviderScript[]): void {
    this.scripts.push(...scripts);
  }

  /** Sets the script to use when the queue is empty. `null` makes such requests unexpected again. */
  standingResponse(script: ProviderScript | null): void {
    this.standing = script;
  }

  /**
   * Sets the standing script for requests whose path starts with `prefix`. It takes precedence over the general one.
   */
  standingResponseAt(prefix: string, script: ProviderScript): void {
    this.standingAt.set(prefix, script);
  }

  /** Throws: an error if a request had no script, or if a script wasn't used. Clears the record. */
  verify(): void {
    const [problem] = this.takeProblems();
    if (problem !== undefined) throw new Error(problem);
  }

  /**
   * Returns the problems that `verify` would report, so that the caller can add more. Clears the record and the
   * scripts.
   */
  takeProblems(): string[] {
    const unexpected = this.unexpected.splice(0).map(({ method, path, body }) => `${method} ${path} ${body}`);
    const unused = this.scripts.splice(0);
    this.requests.splice(0);
    this.standing = null;
    this.standingAt.clear();
    return [
      ...(unexpected.length > 0 ? [`The provider received unexpected requests:\n${unexpected.join('\n')}`] : []),
      ...(unused.length > 0 ? [`The provider still expects ${unused.length} requests`] : []),
    ];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets.keys()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private closed(socket: Socket): void {
    for (const request of this.sockets.get(socket) ?? []) request.closed = true;
    this.sockets.delete(socket);
  }

  private standingFor(path: string): ProviderScript | null {
    const [, script] = [...this.standingAt].find(([prefix]) => path.startsWith(prefix)) ?? [];
    return script ?? this.standing;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received: ReceivedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: await bodyOf(request),
      status: null,
      closed: request.socket.destroyed,
    };
    this.sockets.get(request.socket)?.push(received);
    this.requests.push(received);
    const script = this.scripts.shift() ?? this.standingFor(received.path);
    if (script === null) this.unexpected.push(received);
    const played = actionOf(script ?? { status: 599 }, received);
    if (typeof played === 'object') received.status = played.status;
    play(played, request, response);
  }
}

export const actionOf = (script: ProviderScript, request: ReceivedRequest): ProviderAction =>
  typeof script === 'function' ? script(request) : script;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function play(script: ProviderAction, request: IncomingMessage, response: ServerResponse): void {
  if (script === 'hang') return;
  if (script === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  response.writeHead(script.status, script.headers);
  response.end(script.body ?? '');
}
