import type { ApiResponse } from '../../service/api';

/** What a request brings along. */
export interface Outgoing {
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, with the content type `type`; `json` is then left out. */
  text?: string;
  type?: string;
}

/** One request with its response. */
export interface Call {
  method: string;
  /** With the query. */
  path: string;
  response: ApiResponse;
}

/**
 * Of each request of the contract: it has a connection of its own. One that a busy client was slow to use again may be closed
 * by the service, for having been idle, at the very moment when the request is sent.
 */
export const OWN_CONNECTION = { connection: 'close' };

/** A service that is busy says when it is not: so long at most, in milliseconds, a request waits for that. */
const PATIENCE_MS = 60_000;

/**
 * Sends requests with one key, `null` for none, and tells of every response; nothing is thrown for a status. Unlike `Api` of the
 * kit it sends any method and body to any path. After 429, and 503 of an overload, it sends the request again when `Retry-After`
 * says so: nothing was done for it.
 */
export class Caller {
  constructor(
    readonly url: string,
    readonly key: string | null,
    private readonly tell: (call: Call) => void,
  ) {}

  get<Body = never>(path: string, outgoing?: Outgoing): Promise<ApiResponse<Body>> {
    return this.send('GET', `/api/v1${path}`, outgoing);
  }

  post<Body = never>(path: string, json?: unknown, headers?: Outgoing['headers']): Promise<ApiResponse<Body>> {
    return this.send('POST', `/api/v1${path}`, { json, ...(headers && { headers }) });
  }

  put<Body = never>(path: string, json: unknown, headers?: Outgoing['headers']): Promise<ApiResponse<Body>> {
    return this.send('PUT', `/api/v1${path}`, { json, ...(headers && { headers }) });
  }

  delete<Body = never>(path: string, headers?: Outgoing['headers']): Promise<ApiResponse<Body>> {
    return this.send('DELETE', `/api/v1${path}`, headers && { headers });
  }

  /** A path from the root: `/auth/session`. */
  async send<Body = never>(method: string, path: string, outgoing: Outgoing = {}): Promise<ApiResponse<Body>> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const response = await this.once<Body>(method, path, outgoing);
      const waitMs = Number(response.headers['retry-after'] ?? NaN) * 1000;
      if (!isBusy(response) || !(performance.now() + waitMs < until)) {
        this.tell({ method, path, response });
        return response;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  private async once<Body>(method: string, path: string, outgoing: Outgoing): Promise<ApiResponse<Body>> {
    const body = outgoing.text ?? (outgoing.json === undefined ? undefined : JSON.stringify(outgoing.json));
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...OWN_CONNECTION,
        ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { 'content-type': outgoing.type ?? 'application/json' }),
        ...outgoing.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await textOf(response);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: parsed(text) as Body, text };
  }
}

const isBusy = ({ status, body }: ApiResponse): boolean =>
  status === 429 || (status === 503 && (body as { code?: unknown } | null)?.code === 'temporarily_unavailable');

/** The body; of a stream, which has no end, its beginning. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const beginning = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(beginning?.value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
