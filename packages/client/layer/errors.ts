import type { FieldProblem, Problem, QuotaProblem } from './api';

/** Any failed call, except an aborted one. An aborted call throws its signal's reason. */
export class UptimeError extends Error {
  override readonly name: string = 'UptimeError';

  constructor(
    message: string,
    /** The method and URL of the request, such as `GET https://…`. */
    readonly request: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * No response was received: the connection failed or broke, or the call took longer than `timeoutMs`. `cause` is the
 * error that `fetch` threw, or a `TimeoutError`.
 */
export class UptimeNoResponse extends UptimeError {
  override readonly name = 'UptimeNoResponse';
}

/**
 * A response that didn't come from the service, but from a proxy, a login page, a redirect, or another program at this
 * URL.
 */
export class UptimeUnexpectedResponse extends UptimeError {
  override readonly name = 'UptimeUnexpectedResponse';

  constructor(
    message: string,
    request: string,
    /** The HTTP status, or 0 if a browser hides the status of a redirect. */
    readonly status: number,
    readonly headers: Headers,
    /** The body as text, or an empty string if it wasn't read. */
    readonly body: string,
    /** How many seconds to wait before retrying, if the response says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(message, request);
  }
}

/** The service refused the call. Switch on `code`, which is stable. The texts may change. */
export class UptimeProblem extends UptimeError {
  override readonly name = 'UptimeProblem';
  /** The HTTP status. */
  readonly status: number;
  readonly code: Problem['code'];
  readonly title: string;
  readonly detail: string;
  /** The invalid fields if the code is `validation_failed`. Otherwise empty. */
  readonly errors: readonly FieldProblem[];
  /** The limit that was exceeded if the code is `quota_exceeded`. */
  readonly quota: QuotaProblem | undefined;
  /** Identifies the request in the service's logs. */
  readonly requestId: string;

  constructor(
    request: string,
    problem: Problem,
    /** How many seconds to wait before retrying, if the response says so. */
    readonly retryAfter: number | undefined,
  ) {
    const fields = (problem.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
    super(`${problem.status} ${problem.code}: ${[problem.detail, ...fields].join('; ')}`, request);
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.quota = problem.quota;
    this.requestId = problem.request_id;
  }
}

/** Returns the error for an unsuccessful response whose body is `text`. */
export function errorOf(request: string, response: Response, text: string): UptimeError {
  const retryAfter = secondsOf(response.headers.get('retry-after'));
  const { status, headers } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const where = response.headers.get('location') ?? 'elsewhere';
    const why = `${request} was redirected to ${where}, and redirects are not followed, because the key would be sent there. Is baseUrl correct?`;
    return new UptimeUnexpectedResponse(why, request, status, headers, text, undefined);
  }
  const problem = problemIn(response, text);
  if (problem) return new UptimeProblem(request, { ...problem, status }, retryAfter);
  const words = `${request} got a ${status} response that is not from the service: ${inBrief(text)}`;
  return new UptimeUnexpectedResponse(words, request, status, headers, text, retryAfter);
}

/** Returns the error for a failed `fetch`. */
export function noResponse(request: string, cause: unknown): UptimeError {
  if (cause instanceof UptimeError) return cause;
  // Node puts the reason in the cause. If it tried several addresses, only the code is useful.
  const { cause: inner = cause } = (cause ?? {}) as { cause?: unknown };
  const { code = '', message = String(inner) } = (inner ?? {}) as { code?: string | number; message?: string };
  const what = message.includes(String(code)) ? message : `${code} ${message}`.trim();
  return new UptimeNoResponse(`${request} got no response: ${what}`, request, { cause });
}

/** Returns the error for a request that took too long. */
export const timedOut = (words: string, request: string): UptimeError =>
  new UptimeNoResponse(words, request, { cause: new DOMException(words, 'TimeoutError') });

function problemIn(response: Response, text: string): Problem | null {
  if (!/^application\/problem\+json\b/i.test(response.headers.get('content-type') ?? '')) return null;
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    return typeof body?.code === 'string' && typeof body.detail === 'string' ? (body as Problem) : null;
  } catch {
    return null;
  }
}

/** Returns the title of an HTML page, or the start of any other text. */
export function inBrief(text: string): string {
  const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1] ?? text.replaceAll(/<[^<>]*>/g, ' ');
  return title.replaceAll(/\s+/g, ' ').trim().slice(0, 200) || 'an empty body';
}

/** Parses `Retry-After`, which is a number of seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
