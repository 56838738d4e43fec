import { gzipSync } from 'node:zlib';
import { type ApiResponse, requestOnce } from '../../../packages/testing/service/api';
import {
  type AssignedEndpoint,
  POLL_PATH,
  type PollRequest,
  type PollResponse,
  RESULTS_PATH,
  type ResultsResponse,
  type SentCheck,
  type SentResult,
} from '../../../src/probe-protocol/protocol';
import type { CreatedProbeView } from '../../../src/probe/probe.dto';
import { numberChanges } from '../../../src/monitoring/remote/poll/probe-numbering.job';
import { WorkerDatabase } from '../../../src/platform/database/database';
import type { TestApp } from './app';

/** A response that may be a problem. */
type Reply<Body> = ApiResponse<Body & { code: string; supported?: number[]; errors?: { pointer: string }[] }>;

let sessions = 0;

/** A session that nobody else has. */
export const newSession = (): string => `scripted-session-${String(++sessions).padStart(4, '0')}`;

/** A probe that checks nothing and says what it is told to say, over HTTP as every other one. */
export class ScriptedProbe {
  /** What it was told to check, by the ids of endpoints. */
  readonly held = new Map<string, AssignedEndpoint>();
  cursor: string | null = null;

  constructor(
    readonly url: string,
    /** `pr_…`. */
    readonly id: string,
    /** What endpoints name it by. */
    readonly location: string,
    public token: string,
    public session = newSession(),
  ) {}

  /** Another process with the same token. */
  another(): ScriptedProbe {
    return new ScriptedProbe(this.url, this.id, this.location, this.token);
  }

  /** One poll that does not wait, unless it is told to. What it is answered is remembered. */
  async poll(fields: Partial<PollRequest> | object = {}): Promise<Reply<PollResponse>> {
    const request = { protocol: 1, session: this.session, cursor: this.cursor, wait: 0, version: '99.0.0', ...fields };
    const reply: Reply<PollResponse> = await this.post(POLL_PATH, request);
    if (reply.status === 200) this.take(reply.body);
    return reply;
  }

  /** Polls until there is no more. */
  async sync(): Promise<PollResponse> {
    for (;;) {
      const { status, body, text } = await this.poll();
      if (status !== 200) throw new Error(`the poll was refused: ${text}`);
      if (!body.more) return body;
    }
  }

  /** Sends results as they are. */
  send(results: readonly unknown[], fields: object = {}): Promise<Reply<ResultsResponse>> {
    return this.post(RESULTS_PATH, { protocol: 1, session: this.session, results, ...fields });
  }

  /** Any body to either route. */
  post<Body>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply<Body>> {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers };
    return requestOnce('POST', `${this.url}${path}`, { ...all, 'content-length': Buffer.byteLength(text) }, text);
  }

  /** The same, packed. */
  postPacked<Body>(path: string, body: unknown): Promise<Reply<Body>> {
    return this.post(path, gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' });
  }

  /** A result of an endpoint that it holds: of the newest slot before `atMs`, checked then, up unless `result` says otherwise. */
  result(endpointId: string, atMs: number, result: Partial<SentCheck> = {}): SentResult {
    const held = this.held.get(endpointId);
    if (!held) throw new Error(`the probe does not hold ${endpointId}`);
    const stride = held.interval * 1000;
    const slot = Math.floor((atMs - held.phase_ms) / stride) * stride + held.phase_ms;
    return resultOf({ endpoint_id: endpointId, revision: held.revision, slot, checked_at: slot + 2 }, result);
  }

  private take({ full, endpoints, removed, cursor }: PollResponse): void {
    if (full && this.cursor === null) this.held.clear();
    for (const id of removed) this.held.delete(id);
    for (const endpoint of endpoints) this.held.set(endpoint.endpoint_id, endpoint);
    this.cursor = cursor;
  }
}

const UP: SentCheck = {
  outcome: 'up',
  duration_ms: 12.4,
  phases: { dns_ms: null, connect_ms: 1.2, tls_ms: null, first_byte_ms: 3.1, transfer_ms: 0.2 },
  status_code: 200,
  address: '192.0.2.1',
  certificate: null,
  records: null,
  redirects: [],
  error: null,
  warning: null,
};

/** What a check finds whose target is down. */
export const DOWN: Partial<SentCheck> = {
  outcome: 'down',
  status_code: null,
  error: { code: 'connection_refused', phase: 'connect', message: 'The connection to 192.0.2.1 port 443 was refused.' },
};

/** A row of a batch: of which endpoint and slot, or ask, and what was found. */
export const resultOf = (
  of: Pick<SentResult, 'endpoint_id' | 'revision' | 'checked_at'> & Partial<SentResult>,
  result: Partial<SentCheck> = {},
): SentResult => ({
  slot: null,
  ask: null,
  attempts: 1,
  first_error: null,
  ...of,
  result: { ...UP, ...result },
});

/** Makes a probe and polls as it for the first time, so that it is online. */
export async function startScriptedProbe(app: TestApp, key: string, fields: object = {}): Promise<ScriptedProbe> {
  const { status, body, text } = await app.admin.post<CreatedProbeView>('/probes', { key, ...fields });
  if (status !== 201) throw new Error(`no probe was made: ${status} ${text}`);
  const probe = new ScriptedProbe(app.url, body.id, key, body.token);
  await probe.sync();
  return probe;
}

/** What the sweep of a worker does each second, now. */
export const numberNow = async ({ app }: Pick<TestApp, 'app'>): Promise<void> => {
  await numberChanges(app.get(WorkerDatabase));
};

/** What somebody asks it to check: polls until there is something. */
export async function nextAsks(probe: ScriptedProbe): Promise<PollResponse['asks']> {
  for (;;) {
    const { status, body, text } = await probe.poll({ wait: 10 });
    if (status !== 200) throw new Error(`the poll was refused: ${text}`);
    if (body.asks.length > 0) return body.asks;
  }
}
