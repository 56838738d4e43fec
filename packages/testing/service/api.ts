import { once } from 'node:events';
import { type IncomingMessage, request as startRequest } from 'node:http';

/** An unchanged response. No status throws an error. */
export interface ApiResponse<Body = unknown> {
  status: number;
  /** Names are in lower case. Repeated headers are joined with a comma. */
  headers: Record<string, string>;
  /** The parsed JSON body, or `null` if it isn't JSON. */
  body: Body;
  text: string;
}

/**
 * Sends requests with one API key and returns the responses. Paths are relative to `/api/v1`. Each request uses a new
 * connection.
 */
export class Api {
  constructor(
    readonly url: string,
    readonly key: string | null,
  ) {}

  get<Body = never>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse<Body>> {
    return this.send('GET', path, undefined, headers);
  }

  post<Body = never>(
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse<Body>> {
    return this.send('POST', path, body, headers);
  }

  put<Body = never>(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse<Body>> {
    return this.send('PUT', path, body, headers);
  }

  delete<Body = never>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse<Body>> {
    return this.send('DELETE', path, undefined, headers);
  }

  private async send<Body>(
    method: string,
    path: string,
    body: object | undefined,
    more: Readonly<Record<string, string>>,
  ): Promise<ApiResponse<Body>> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...more,
    };
    return requestOnce<Body>(method, `${this.url}/api/v1${path}`, headers, sent);
  }
}

/**
 * Sends one request to any URL over a new connection. If `signal` is aborted, the request is aborted and the promise
 * rejects.
 */
export async function requestOnce<Body = unknown>(
  method: string,
  url: string,
  headers: Readonly<Record<string, string | number>> = {},
  body?: string | Buffer,
  signal?: AbortSignal,
): Promise<ApiResponse<Body>> {
  const request = startRequest(url, { method, headers, agent: false, ...(signal && { signal }) });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return received<Body>(response);
}

async function received<Body>(response: IncomingMessage): Promise<ApiResponse<Body>> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  const body: unknown = /json/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : null;
  return { status: response.statusCode ?? 0, headers, body: body as Body, text };
}
