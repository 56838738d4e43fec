import { at } from './home';
import type { FieldProblem, Problem } from './types';

/** An error response, read as RFC 9457 problem details. `status` is 0 if the service could not be reached. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: Problem['code'] | 'unknown' | 'unreachable',
    message: string,
    readonly errors: readonly FieldProblem[] = [],
    /** How many seconds to wait before retrying, if the service says so. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** A list page, and the cursor for the next page. The cursor is `null` on the last page. */
export interface Listed<T> {
  items: T[];
  next: string | null;
  total: number | null;
}

/** Called for every response that means the session has ended. The session module sets it. */
export const onSignedOut = { notify: (): void => undefined };

/**
 * Called for every error response that may have been caused by a session change in another window, such as a new role
 * or organization.
 */
export const onRefused = { notify: (): void => undefined };

/**
 * The organization whose data is shown. Every request includes it. If another window has switched organizations, a
 * request from this window gets a 409 instead of reading or writing data in the wrong organization.
 */
export const shownOrganization = { id: null as string | null };

/** How far the service's clock is ahead of the browser's clock, in milliseconds. */
let ahead = 0;

/**
 * Returns the current time according to the service's clock. A window that starts now must not start in the service's
 * past.
 */
export const serviceNow = (): number => Date.now() + ahead;

/** Codes that cover problems with many possible causes. */
const DETAILED: ReadonlySet<string | undefined> = new Set(['conflict', 'temporarily_unavailable']);

async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text();
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isNaN(after) ? null : after;
  try {
    const body = JSON.parse(text) as Partial<Problem>;
    // For these codes, only the detail contains the cause.
    const isDetailed = body.title === undefined || (DETAILED.has(body.code) && body.detail !== undefined);
    const message = isDetailed ? (body.detail ?? response.statusText) : `${body.title}.`;
    return new ApiProblem(response.status, body.code ?? 'unknown', message, body.errors, retryAfter);
  } catch {
    return new ApiProblem(
      response.status,
      'unknown',
      `The service returned status ${response.status}.`,
      [],
      retryAfter,
    );
  }
}

/** The `ETag` of each response, keyed by the object that was created from the response. */
const tags = new WeakMap<object, string>();

/** Stores the tag of a response. Proxies that compress responses make tags weak, and weak tags never match. */
function keepTag(of: unknown, tag: string | null | undefined): void {
  if (tag && typeof of === 'object' && of !== null) tags.set(of, tag.replace(/^W\//, ''));
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  tag?: string,
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (tag !== undefined) headers['If-Match'] = tag;
  const init: Sent = { method, headers };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  return request(path, init);
}

type Sent = RequestInit & { method: string; headers: Record<string, string> };

async function request(path: string, init: Sent): Promise<Response> {
  const { signal } = init;
  if (shownOrganization.id !== null) init.headers['X-Organization'] = shownOrganization.id;
  let response: Response;
  try {
    response = await fetch(at(path), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, 'unreachable', 'The service cannot be reached.');
  }
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date)) ahead = date - Date.now();
  if (response.ok) return response;
  const problem = await problemOf(response);
  // For sign-in requests, 401 refers to the submitted token or password, not to the session.
  if (problem.status === 401 && !(init.method === 'POST' && path.startsWith('/auth/'))) onSignedOut.notify();
  if (problem.status === 403 || problem.status === 409) onRefused.notify();
  throw problem;
}

/** Returns the body of a response, or `null` if there is none. */
async function bodyOf<T>(called: Promise<Response>): Promise<T> {
  const response = await called;
  const body = JSON.parse((await response.text()) || 'null') as T;
  keepTag(body, response.headers.get('ETag'));
  return body;
}

/** Sends a GET request. Throws: `ApiProblem`. */
export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => bodyOf(call('GET', path, undefined, signal));

/** Creates a resource or runs an action, and returns the response body. Throws: `ApiProblem`. */
export const post = <T>(path: string, body: unknown = {}): Promise<T> => bodyOf(call('POST', path, body));

/**
 * Changes a resource and returns the response body. `seen` is the object that the change is based on, from an earlier
 * call. If someone else has changed the resource since then, the service responds with 412. Afterward, `seen`
 * represents the saved state. Throws: `ApiProblem`.
 */
export async function put<T>(path: string, body: unknown, seen?: object | null): Promise<T> {
  const saved = await bodyOf<T & object>(call('PUT', path, body, undefined, seen ? tags.get(seen) : undefined));
  keepTag(seen, tags.get(saved));
  return saved;
}

/** Deletes a resource. With `isLeaving`, the request continues after the page is closed. Throws: `ApiProblem`. */
export const remove = async (path: string, isLeaving = false): Promise<void> => {
  await request(path, { method: 'DELETE', headers: { Accept: 'application/json' }, keepalive: isLeaving });
};

/** Fetches a path as text with this media type. Throws: `ApiProblem`. */
export const text = async (path: string, accept: string): Promise<string> =>
  (await request(path, { method: 'GET', headers: { Accept: accept } })).text();

/**
 * Sends a YAML or JSON configuration document unchanged. `seen` is the plan to apply. If the state that the plan is
 * based on has changed since then, the service responds with 412. Throws: `ApiProblem`.
 */
export function sendDocument<T>(method: 'POST' | 'PUT', path: string, document: string, seen?: object): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json', 'Content-Type': 'application/yaml' };
  const tag = seen && tags.get(seen);
  if (tag !== undefined) headers['If-Match'] = tag;
  return bodyOf(request(path, { method, headers, body: document }));
}

/** Fetches one page of a list. Throws: `ApiProblem`. */
export async function page<T>(path: string, signal?: AbortSignal): Promise<Listed<T>> {
  const response = await call('GET', path, undefined, signal);
  const total = response.headers.get('X-Total-Count');
  return {
    items: (await response.json()) as T[],
    next: response.headers.get('X-Next-Cursor'),
    total: total === null ? null : Number(total),
  };
}

/**
 * Fetches an entire list page by page, and stops when it has `most` items. Use it for lists that fit on a screen, not
 * for history.
 */
export async function all<T>(path: string, signal?: AbortSignal, most = Infinity): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const mark = path.includes('?') ? '&' : '?';
    const next: Listed<T> = await page(cursor === null ? path : `${path}${mark}cursor=${cursor}`, signal);
    items.push(...next.items);
    cursor = next.next;
  } while (cursor !== null && items.length < most);
  return items;
}

/** Returns a query string with the parameters that have a value. */
export function query(parameters: Record<string, string | number | null | undefined>): string {
  const entries = Object.entries(parameters).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([key, value]): [string, string] => [key, String(value)]))}`;
}
