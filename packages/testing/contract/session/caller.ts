import type { ApiResponse } from '../../service/api';

export interface Outgoing {
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  /** Sent unchanged with the content type `type`. If set, `json` is ignored. */
  text?: string;
  type?: string;
}

export interface Call {
  method: string;
  /** Includes the query string. */
  path: string;
  response: ApiResponse;
}

/**
 * Each request in the contract uses a new connection. If a busy client waits too long, the service may close an idle
 * connection just as the next request is sent.
 */
export const OWN_CONNECTION = { connection: 'close' };

/** The longest time that a request waits for an overloaded service, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Sends requests with one key, or without a key if it is `null`, and reports every response. It doesn't throw for any
 * status. Unlike the kit's `Api`, it can send any method and body to any path. After a 429, or a 503 caused by
 * overload, it retries when `Retry-After` allows. The service didn't process the refused request.
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

  /** Sends a request to an absolute path, such as `/auth/session`. */
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

/** Returns the body, or the start of a stream, which never ends. */
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
