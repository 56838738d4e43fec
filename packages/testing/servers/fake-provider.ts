import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request as it arrived. */
export interface ReceivedRequest {
  method: string;
  /** Path with query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Status of the response; `null` without one: the provider may have accepted all the same. */
  status: number | null;
  /** Its socket has been closed since. */
  closed: boolean;
}

/** One response, sent as it is. */
export interface ScriptedResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** What the fake does with one request: responds, never responds, or resets the connection. */
export type ProviderAction = ScriptedResponse | 'hang' | 'reset';

/** The same, or a function that decides by the request; it must not throw. */
export type ProviderScript = ProviderAction | ((request: ReceivedRequest) => ProviderAction);

/**
 * A provider of notifications on a real loopback socket. Each request takes the next script; without one, the standing
 * script counts. A request that neither covers is unexpected: it gets 599 and `verify` fails the test.
 */
export class FakeProvider {
  readonly requests: ReceivedRequest[] = [];
  private readonly unexpected: ReceivedRequest[] = [];
  /** Open connections, each with what has arrived over it. */
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

  /** `http://127.0.0.1:port`, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Scripts for the next requests, one each, in order. */
  expect(...scripts: ProviderScript[]): void {
    this.scripts.push(...scripts);
  }

  /** The script of every request that has none of its own; `null` makes them unexpected again. */
  standingResponse(script: ProviderScript | null): void {
    this.standing = script;
  }

  /** The same for requests whose path begins with `prefix`; it counts before the general one. */
  standingResponseAt(prefix: string, script: ProviderScript): void {
    this.standingAt.set(prefix, script);
  }

  /** Fails when a request came that no script covered, or when a script was never used. Clears the record. */
  verify(): void {
    const [problem] = this.takeProblems();
    if (problem !== undefined) throw new Error(problem);
  }

  /** What `verify` fails with, for who has more to say. Clears the record and the scripts. */
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

/** What a script does with this request. */
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
