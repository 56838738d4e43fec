import { errorOf, inBrief, noResponse, timedOut, UptimeError, UptimeProblem, UptimeUnexpectedResponse } from './errors';

/** How far one call may go. */
export interface CallLimits {
  /** Milliseconds for the call with all its retries; `null` for a stream, which has no end. */
  timeoutMs: number | null;
  /** Tries after the first one. */
  retries: number;
  /** The media types that the operation responds with; anything else comes from somebody else. */
  types?: readonly string[];
}

/** What `fetch` takes, with the limits of the call: the generated runtime hands on what it does not know. */
export type LimitedInit = RequestInit & { limits?: CallLimits };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** A timer that is to run longer would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The service or a proxy before it cannot serve now. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * A `fetch` that repeats what may pass, where repeating does nothing twice: GET, PUT, DELETE and POSTs with an
 * `Idempotency-Key`. Redirects are not followed. Resolves with a success, its body read to the end unless it is a stream;
 * rejects with an `UptimeError`, or with the reason of an aborted signal.
 *
 * The generated runtime has retries, too, but takes any `Retry-After`, repeats no response that breaks off in its body,
 * and pages without its hook for errors.
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
      // The signal of a stream is that of its body as well.
      if (!isStream) deadline.release();
    }
  };
}

/** Milliseconds before the try after this one, `null` when none could do better. */
export function waitAfter(failure: UptimeError, attempt: number): number | null {
  const hasStatus = failure instanceof UptimeProblem || failure instanceof UptimeUnexpectedResponse;
  if (!hasStatus) return backoff(attempt);
  // The first try of a POST whose response was lost may still be at work.
  const isInUse = failure instanceof UptimeProblem && failure.code === 'idempotency_key_in_use';
  if (!isInUse && !PASSING.has(failure.status)) return null;
  if (failure.retryAfter === undefined) return backoff(attempt);
  return failure.retryAfter * 1000 + Math.random() * 250;
}

/** Resolves after `ms`; rejects with the signal's reason when that comes first. */
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

/** Doubles with each try up to a bound; half of it by chance, so that many clients do not come back as one. */
const backoff = (attempt: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);

const isRepeatable = (method: string | undefined, headers: Headers): boolean =>
  method !== 'POST' || headers.has('Idempotency-Key');

/** The last one of each name wins, in whatever case it is written; `fetch` would send them all. */
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
  // Read here, so that a connection that breaks within the body is met like one that breaks before.
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  if (body.byteLength > 0) requireOwn(request, response, types, body);
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

/** Throws when a success is not one of the service: of another type than documented, or JSON that is none. */
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

/** Follows the caller's signal, and ends on its own after `ms`, unless that is `null`. */
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
