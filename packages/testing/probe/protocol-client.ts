import {
  type AssignedEndpoint,
  POLL_PATH,
  type PollRequest,
  type PollResponse,
  RESULTS_PATH,
  type ResultsResponse,
} from '../../../src/probe-protocol/protocol';
import { type ApiResponse, requestOnce } from '../service/api';

/** A response that may contain a problem. */
type Reply<Body> = ApiResponse<Body & { code: string; supported?: number[]; errors?: { pointer: string }[] }>;

let sessions = 0;

export const newSession = (): string => `scripted-session-${String(++sessions).padStart(4, '0')}`;

/** Sends probe requests one at a time over HTTP, like any probe. */
export class ProtocolClient {
  /** The assigned endpoints by ID. */
  readonly held = new Map<string, AssignedEndpoint>();
  cursor: string | null = null;

  constructor(
    public url: string,
    public token: string,
    public session = newSession(),
  ) {}

  /** Polls once, by default without waiting, and stores the assignment. `signal` aborts the request. */
  async poll(fields: Partial<PollRequest> | object = {}, signal?: AbortSignal): Promise<Reply<PollResponse>> {
    const request = { protocol: 1, session: this.session, cursor: this.cursor, wait: 0, version: '99.0.0', ...fields };
    const reply: Reply<PollResponse> = await this.post(POLL_PATH, request, {}, signal);
    if (reply.status === 200) this.take(reply.body);
    return reply;
  }

  /** Polls until there is nothing left to read. */
  async sync(): Promise<PollResponse> {
    for (;;) {
      const { status, body, text } = await this.poll();
      if (status !== 200) throw new Error(`the poll was refused: ${text}`);
      if (!body.has_more) return body;
    }
  }

  send(results: readonly unknown[], fields: object = {}): Promise<Reply<ResultsResponse>> {
    return this.post(RESULTS_PATH, { protocol: 1, session: this.session, results, ...fields });
  }

  /** Sends any body to either route. */
  post<Body>(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Reply<Body>> {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers };
    return requestOnce(
      'POST',
      `${this.url}${path}`,
      { ...all, 'content-length': Buffer.byteLength(text) },
      text,
      signal,
    );
  }

  private take({ full_sync, endpoints, removed, cursor }: PollResponse): void {
    if (full_sync && this.cursor === null) this.held.clear();
    for (const id of removed) this.held.delete(id);
    for (const endpoint of endpoints) this.held.set(endpoint.endpoint_id, endpoint);
    this.cursor = cursor;
  }
}
