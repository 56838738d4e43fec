import { errorOf, inBrief, noResponse, timedOut, UptimeError, UptimeProblem, UptimeUnexpectedResponse } from './errors';

export interface CallLimits {
  /** The time limit for the call including all retries, in milliseconds. `null` for streams, which have no limit. */
  timeoutMs: number | null;
  retries: number;
  /** The media types that the operation returns. Any other type means that something else responded. */
  types?: readonly string[];
}

/** The options for `fetch`, plus the call's limits. The generated runtime passes unknown options through. */
export type LimitedInit = RequestInit & { limits?: CallLimits };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** A timer with a longer delay would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Status codes that mean the service or its proxy is temporarily unavailable. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Returns a `fetch` that retries temporary failures if the call is safe to repeat: GET, PUT, DELETE, and POST with an
 * `Idempotency-Key`. It doesn't follow redirects. It resolves with a successful response whose body has been read,
 * unless it is a stream. It rejects with an `UptimeError` or with the reason of an aborted signal.
 *
 * The generated runtime also has retries. However, it accepts any `Retry-After`, doesn't retry if the response body is
 * cut off, and skips its error hook when paging.
 */
export function reliableFetch(doFetch: typeof fetch): (input: unknown, init?: LimitedInit) => Promise<Response> {
  return async (input, { limits = { timeoutMs: null, retries: 0 } as CallLimits, ...given } = {}) => {
    const url = String(input);
    const init = { ...given, headers: oneOfEach(given.headers) };
    const request = `${init.method ?? 'GET'} ${url}`;
    const isStream = limits.timeoutMs === null;
    const deadline = deadlineOf(init.signal, limits.timeoutMs, request);
    const { signal } = deadline;
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(doFetch, url, { ...init, signal }, request, limits);
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          const failure = noResponse(request, error);
          const wait =
            attempt <= limits.retries && isRepeatable(init.method, init.headers) ? waitAfter(failure, attempt) : null;
          if (wait === null || wait > deadline.leftMs()) throw failure;
          await pause(wait, signal);
        }
      }
    } finally {
      // For a stream, the signal also covers the body.
      if (!isStream) deadline.release();
    }
  };
}

/** Returns how many milliseconds to wait before retrying, or `null` if retrying can't help. */
export function waitAfter(failure: UptimeError, attempt: number): number | null {
  const hasStatus = failure instanceof UptimeProblem || failure instanceof UptimeUnexpectedResponse;
  if (!hasStatus) return backoff(attempt);
  // If the response to a POST was lost, its first attempt may still be running.
  const isInUse = failure instanceof UptimeProblem && failure.code === 'idempotency_key_in_use';
  if (!isInUse && !PASSING.has(failure.status)) return null;
  if (failure.retryAfter === undefined) return backoff(attempt);
  return failure.retryAfter * 1000 + Math.random() * 250;
}

/** Resolves after `ms`. Rejects with the signal's reason if the signal is aborted first. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/**
 * Returns a wait that doubles with each attempt, up to a limit. Half of it is random, so that clients don't all retry
 * at the same moment.
 */
const backoff = (attempt: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);

const isRepeatable = (method: string | undefined, headers: Headers): boolean =>
  method !== 'POST' || headers.has('Idempotency-Key');

/** Keeps the last header for each name, ignoring case. `fetch` would send all of them. */
function oneOfEach(given: RequestInit['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given ?? {})) headers.set(name, String(value));
  return headers;
}

async function once(
  doFetch: typeof fetch,
  url: string,
  init: RequestInit,
  request: string,
  { timeoutMs, types = [] }: CallLimits,
): Promise<Response> {
  const response = await doFetch(url, { ...init, redirect: 'manual' });
  if (!response.ok) throw errorOf(request, response, await response.text());
  if (timeoutMs === null) return openedStream(request, response);
  // Read here, so that a connection that breaks in the middle of the body is handled like one that breaks before it.
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  if (body.byteLength > 0) requireOwn(request, response, types, body);
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

/**
 * Throws: an error if a successful response isn't from the service, because its type isn't documented or its JSON is
 * invalid.
 */
function requireOwn(request: string, response: Response, types: readonly string[], body: ArrayBuffer): void {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isOwn = types.includes(type) && (!type.endsWith('json') || isJson(new TextDecoder().decode(body)));
  if (isOwn) return;
  const { status, headers } = response;
  const text = new TextDecoder().decode(body);
  const words = `${request} got a ${status} response that is not from the service: ${inBrief(text)}`;
  throw new UptimeUnexpectedResponse(words, request, status, headers, text, undefined);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function openedStream(request: string, response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  await response.body?.cancel();
  const words = `${request} got a response that is not a stream. Is baseUrl the URL of the service?`;
  throw new UptimeUnexpectedResponse(words, request, response.status, response.headers, '', undefined);
}

interface Deadline {
  signal: AbortSignal;
  leftMs(): number;
  release(): void;
}

/** Follows the caller's signal, and also aborts after `ms` unless `ms` is `null`. */
function deadlineOf(parent: AbortSignal | null | undefined, ms: number | null, request: string): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + (ms ?? 0);
  const late = () => controller.abort(timedOut(`${request} took longer than ${ms} ms`, request));
  const follow = () => controller.abort(parent?.reason);
  const timer = ms === null ? undefined : setTimeout(late, Math.min(ms, LONGEST_TIMER_MS));
  if (parent?.aborted) follow();
  parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    release: () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}
