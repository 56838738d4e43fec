import { isRecord } from '../../../src/platform/text/json';
import { readUrl } from '../../../src/platform/text/read-url';
import { ApiProblem } from './api-problem';
import { connectionErrorText } from './connection-error';
import { CommandError } from './io';

/** A response is read up to this. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 60_000;

export interface Request {
  method?: 'GET' | 'POST' | 'PUT';
  /** Below /api/v1. */
  path: string;
  body?: string;
  /** Of the body; JSON by default. */
  contentType?: string;
  accept?: string;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** Ends the request before its time. */
  signal?: AbortSignal;
}

export interface Responded {
  headers: Headers;
  text: string;
}

/** The address of a service, as it is called. Throws in words when it is none. */
export function readServiceUrl(text: string | undefined): string {
  if (text === undefined || text.trim() === '')
    throw new CommandError(
      'Set UPTIME_URL, or give --url: the address of the service, such as https://uptime.example.com',
    );
  const url = readUrl(text.trim());
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new CommandError(`UPTIME_URL must be an http:// or https:// address, not ${JSON.stringify(text)}`);
  if (url.username !== '' || url.password !== '')
    throw new CommandError('UPTIME_URL must hold no credentials: the key goes into UPTIME_KEY.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** An API key as it is sent. Throws in words when it cannot be one. */
export function readKey(text: string | undefined): string {
  const key = (text ?? '').trim();
  if (key === '') throw new CommandError('Set UPTIME_KEY to an API key, or give --key-file FILE with one.');
  if (!/^[\x21-\x7e]{1,300}$/.test(key))
    throw new CommandError('UPTIME_KEY is no API key: it has spaces or other signs that no key has.');
  return key;
}

/** Sends requests with the key of one organization. Follows no redirect, so the key goes to this address alone. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** Throws `ApiProblem` when the API refuses, `CommandError` in words when nothing usable came back. */
  async send({ timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...request }: Request): Promise<Responded> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const response = await this.fetch(request, signal ? AbortSignal.any([signal, deadline]) : deadline);
    const text = await this.bodyOf(response);
    this.judge(response, text);
    return { headers: response.headers, text };
  }

  /** The same, its body read as JSON. The caller says what the route responds with. */
  async json(request: Request): Promise<{ body: unknown; headers: Headers }> {
    const { headers, text } = await this.send(request);
    const body = parsed(text);
    if (body === undefined) throw this.notTheApi(200, headers);
    return { body, headers };
  }

  /** Opens a response without an end. `signal` ends it. */
  async open(request: Request, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.fetch(request, signal);
    if (response.status !== 200) this.judge(response, await this.bodyOf(response));
    const isStream = /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '');
    if (!isStream || !response.body) throw this.notTheApi(response.status, response.headers);
    return response.body as ReadableStream<Uint8Array>;
  }

  private async fetch(request: Request, signal: AbortSignal): Promise<Response> {
    const {
      method = 'GET',
      path,
      body,
      contentType = 'application/json',
      accept = 'application/json',
      headers,
    } = request;
    try {
      return await fetch(`${this.url}/api/v1${path}`, {
        method,
        redirect: 'manual',
        signal,
        headers: {
          Authorization: `Bearer ${this.key}`,
          Accept: accept,
          ...(body === undefined ? {} : { 'Content-Type': contentType }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw this.unreached(error);
    }
  }

  private async bodyOf(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        if (bytes > MAX_RESPONSE_BYTES) throw new CommandError(`${this.url} responded with more than 64 MiB.`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw error instanceof CommandError ? error : this.unreached(error);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  private judge({ status, headers }: Response, text: string): void {
    if (status >= 200 && status < 300) return;
    if (status >= 300 && status < 400) {
      const to = headers.get('location');
      throw new CommandError(
        `${this.url} redirects${to === null ? '' : ` to ${to}`}. Redirects are not followed, so that the key goes nowhere else: set UPTIME_URL to the address of the service itself.`,
      );
    }
    const body = parsed(text);
    const isProblem = /^application\/problem\+json\b/.test(headers.get('content-type') ?? '') && isRecord(body);
    const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
    // What stands in front of the service refuses in words of its own.
    if (!isProblem && ![401, 403, 429, 503].includes(status)) throw this.notTheApi(status, headers);
    throw new ApiProblem(status, isProblem ? body : {}, Number.isFinite(retryAfter) ? retryAfter : null);
  }

  private unreached(error: unknown): CommandError {
    return new CommandError(`${this.url} ${connectionErrorText(error)}.`);
  }

  private notTheApi(status: number, headers: Headers): CommandError {
    const type = headers.get('content-type') ?? 'no content type';
    return new CommandError(
      `${this.url} responded with ${status} and ${type}, not as this API does. Is UPTIME_URL the address of the service?`,
    );
  }
}

/** `undefined` when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
