import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { gunzipSync, gzipSync } from 'node:zlib';
import { digestOf } from '../../../src/probe-protocol/digest';
import {
  type Ask,
  type AssignedEndpoint,
  type Definition,
  LEASE_MS,
  MAX_RESULTS,
  POLL_PATH,
  type PollRequest,
  type PollResponse,
  PROTOCOL,
  RESULTS_PATH,
  type ResultsRequest,
  type ResultsResponse,
  type SentResult,
  SESSION_MS,
} from '../../../src/probe-protocol/protocol';

/** A token like those printed by `uptime probes create`. */
export const PROBE_TOKEN = `ump_${'a'.repeat(36)}`;

/** Returns the definition of an HTTP check. `changes` overrides fields. */
export const httpDefinition = (url: string, changes: Partial<Definition> = {}): Definition => ({
  type: 'HTTP',
  url,
  timeout: 5,
  method: 'GET',
  headers: [],
  body: null,
  follow_redirects: true,
  assertions: [],
  tls: null,
  ...changes,
});

/**
 * Returns an endpoint as the service assigns it: checked every full second, for an operator who may reach private
 * addresses.
 */
export const assigned = (
  id: string,
  definition: Definition,
  changes: Partial<AssignedEndpoint> = {},
): AssignedEndpoint => ({
  endpoint_id: id,
  organization: 'org_1',
  revision: 1,
  interval: 1,
  phase_ms: 0,
  run_now: false,
  confirm_at: null,
  allow_private: true,
  definition,
  ...changes,
});

type Reply = { status: number; body: object; headers?: Record<string, string> };

/**
 * The service's side of protocol 1 over real HTTP, controlled by a script. It keeps everything it receives, sends
 * changes by number, tracks sessions, and accepts each of an endpoint's slots once.
 */
export class ScriptedServer {
  readonly polls: PollRequest[] = [];
  readonly batches: ResultsRequest[] = [];
  /** In the order in which they were accepted. */
  readonly recorded: SentResult[] = [];
  duplicates = 0;
  /** Returns milliseconds since the epoch according to the database's clock. */
  now: () => number = Date.now;
  leaseMs = LEASE_MS;
  /** A session counts as stale after this time. */
  sessionMs = SESSION_MS;
  token: string | null = PROBE_TOKEN;
  /** Replaces the normal response while it is set. `null` lets a request through. */
  instead: ((path: string) => Reply | null) | null = null;
  /** The maximum number of definitions in one response. */
  pageSize = 500;
  private readonly endpoints = new Map<string, { endpoint: AssignedEndpoint; number: number }>();
  private readonly removed = new Map<string, number>();
  private number = 0;
  private asks: Ask[] = [];
  private session: { id: string; heardAt: number } | null = null;
  private readonly newest = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private server: Server,
    private readonly make: () => Server,
    readonly port: number,
    private readonly scheme: 'http' | 'https',
  ) {}

  static async listen(tls?: TlsOptions): Promise<ScriptedServer> {
    const scheme = tls === undefined ? 'http' : 'https';
    const make = (): Server => (tls === undefined ? createHttp() : createHttps(tls));
    const server = make();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const scripted = new ScriptedServer(server, make, (server.address() as AddressInfo).port, scheme);
    scripted.serve(server);
    return scripted;
  }

  get url(): string {
    return `${this.scheme}://${this.scheme === 'https' ? 'localhost' : '127.0.0.1'}:${this.port}`;
  }

  /** Returns an endpoint's recorded results in the order of arrival. */
  of(endpointId: string): SentResult[] {
    return this.recorded.filter(({ endpoint_id }) => endpoint_id === endpointId);
  }

  assign(...endpoints: AssignedEndpoint[]): void {
    for (const endpoint of endpoints) {
      this.removed.delete(endpoint.endpoint_id);
      this.endpoints.set(endpoint.endpoint_id, { endpoint, number: ++this.number });
    }
    this.changed();
  }

  remove(endpointId: string): void {
    this.endpoints.delete(endpointId);
    this.removed.set(endpointId, ++this.number);
    this.changed();
  }

  /** Removes an endpoint without informing the probe. */
  lose(endpointId: string): void {
    this.endpoints.delete(endpointId);
  }

  ask(ask: Ask): void {
    this.asks.push(ask);
    this.changed();
  }

  /** Stops listening. Connections break in the middle of a request. */
  async goAway(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async comeBack(): Promise<void> {
    this.server = this.make();
    this.serve(this.server);
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Responds to waiting polls immediately. */
  changed(): void {
    for (const resolve of this.waiting) resolve();
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.goAway();
  }

  private serve(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => {});
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      void this.answer(request, gone.signal).then(
        ({ status, body, headers = {} }) => {
          const bytes = gzipSync(JSON.stringify(body));
          response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers });
          response.end(bytes);
        },
        () => response.destroy(),
      );
    });
  }

  private async answer(request: IncomingMessage, gone: AbortSignal): Promise<Reply> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const sent = Buffer.concat(parts);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const instead = this.instead?.(request.url ?? '');
    if (instead) return instead;
    if (this.token === null || request.headers.authorization !== `Bearer ${this.token}`)
      return { status: 401, body: { code: 'unauthenticated' } };
    const body: unknown = JSON.parse(text.toString());
    if (request.url === POLL_PATH) return this.poll(body as PollRequest, gone);
    if (request.url === RESULTS_PATH) return { status: 200, body: this.take(body as ResultsRequest) };
    return { status: 404, body: { code: 'not_found' } };
  }

  private async poll(request: PollRequest, gone: AbortSignal): Promise<Reply> {
    this.polls.push(request);
    if (request.protocol !== PROTOCOL) return { status: 409, body: { code: 'protocol_unsupported', supported: [1] } };
    if (!this.hears(request)) return { status: 409, body: { code: 'session_replaced' } };
    if (request.wait > 0 && this.isIdle(request)) await this.wait(request.wait * 1000, gone);
    if (this.token === null) return { status: 401, body: { code: 'unauthenticated' } };
    if (this.session?.id !== request.session) return { status: 409, body: { code: 'session_replaced' } };
    return { status: 200, body: this.page(request) };
  }

  /** Returns whether this session is the active one. */
  private hears({ session, standby, cursor }: PollRequest): boolean {
    const heardAt = performance.now();
    const isOther = this.session !== null && this.session.id !== session;
    const isOld = standby || cursor !== null;
    if (isOther && isOld && heardAt - (this.session?.heardAt ?? 0) < this.sessionMs) return false;
    this.session = { id: session, heardAt };
    return true;
  }

  private isIdle({ cursor }: PollRequest): boolean {
    return cursor === String(this.number) && this.asks.length === 0;
  }

  /** A waiting session counts as seen the entire time. */
  private wait(ms: number, gone: AbortSignal): Promise<void> {
    const { session } = this;
    if (session) session.heardAt = Infinity;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        if (session) session.heardAt = performance.now();
        resolve();
      };
      const timer = setTimeout(done, ms).unref();
      this.waiting.add(done);
      gone.addEventListener('abort', done);
    });
  }

  private page({ cursor, count, digest }: PollRequest): PollResponse {
    const held = [...this.endpoints.values()].map(({ endpoint }) => endpoint);
    const differs = digest !== null && (count !== held.length || digest !== digestOf(held));
    const [, from] = /^page-(\d+)$/.exec(cursor ?? '') ?? [];
    const full = cursor === null || differs || from !== undefined;
    const since = full ? 0 : Number(cursor);
    const changed = [...this.endpoints.values()].filter(({ number }) => number > since);
    const skip = Number(from ?? 0);
    const endpoints = changed.slice(skip, full ? skip + this.pageSize : undefined).map(({ endpoint }) => endpoint);
    const more = full && changed.length > skip + this.pageSize;
    return {
      now: this.now(),
      lease_until: this.now() + this.leaseMs,
      cursor: more ? `page-${skip + this.pageSize}` : String(this.number),
      full_sync: full,
      has_more: more,
      removed: full ? [] : [...this.removed].filter(([, number]) => number > since).map(([id]) => id),
      pause_ms: 0,
      endpoints,
      requests: this.asks.splice(0),
    };
  }

  private take(request: ResultsRequest): ResultsResponse {
    this.batches.push(request);
    if (request.results.length > MAX_RESULTS) throw new Error('too many results in a request');
    const response: ResultsResponse = {
      now: this.now(),
      recorded: 0,
      duplicates: 0,
      late: 0,
      refused: [],
      pause_ms: 0,
    };
    for (const [index, result] of request.results.entries()) {
      const { endpoint_id, slot, request_id, revision } = result;
      const known = endpoint_id === null ? undefined : this.endpoints.get(endpoint_id);
      if (request_id === null && known === undefined) response.refused.push({ index, code: 'not_assigned' });
      else if (known !== undefined && known.endpoint.revision !== revision)
        response.refused.push({ index, code: 'stale_revision' });
      else if (slot !== null && slot <= (this.newest.get(String(endpoint_id)) ?? 0)) response.duplicates++;
      else {
        if (slot !== null) this.newest.set(String(endpoint_id), slot);
        this.recorded.push(result);
        response.recorded++;
      }
    }
    this.duplicates += response.duplicates;
    return response;
  }
}
