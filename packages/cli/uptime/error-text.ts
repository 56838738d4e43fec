import { UptimeError, UptimeProblem, UptimeUnexpectedResponse } from '../../client/index.cjs';
import { isRecord } from '../../../src/platform/text/json';
import { oneLine } from '../../../src/platform/text/text-limits';
import { connectionErrorText } from './connection-error';

/** An invalid field, as reported by the API. */
export interface WrongField {
  pointer?: string;
  /** The line in the submitted text, starting at 1. */
  line?: number | null;
  code?: string;
  message?: string;
}

/**
 * The content of an error response from the API or from a proxy in front of it. Everything except the status may be
 * missing.
 */
export interface Refusal {
  status: number;
  /** In seconds. */
  retryAfter?: number | undefined;
  title?: string;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: readonly WrongField[];
}

/** Status codes that proxies also send. */
const ALSO_OF_PROXIES: readonly number[] = [401, 403, 429, 503];

/** Returns the error response that an error carries, or null if there was no usable response. */
export function refusalOf(error: UptimeError): Refusal | null {
  if (error instanceof UptimeProblem) {
    const { status, code, title, detail, errors, requestId, retryAfter } = error;
    return { status, code, title, detail, errors, request_id: requestId, retryAfter };
  }
  if (!(error instanceof UptimeUnexpectedResponse)) return null;
  const { status, headers, body, retryAfter } = error;
  const isProblem = status >= 400 && /^application\/problem\+json\b/.test(headers.get('content-type') ?? '');
  const problem = isProblem ? parsed(body) : undefined;
  if (!isRecord(problem) && !ALSO_OF_PROXIES.includes(status)) return null;
  return { ...(isRecord(problem) && problem), status, retryAfter };
}

/** Returns an error message. `place` locates invalid fields in the submitted document. */
export function errorText(error: UptimeError, place: DocumentPlace = NOWHERE): string {
  const refusal = refusalOf(error);
  if (refusal) return [...fieldLines(refusal, place), refusalText(refusal)].join('\n');
  const [, service] = /^\S+ (.*)\/api\/v1\//.exec(error.request) ?? [];
  if (!(error instanceof UptimeUnexpectedResponse)) {
    const { cause } = error;
    if (service === undefined)
      return `The connection was lost (${cause instanceof Error ? cause.message : error.message}).`;
    return `${service} ${connectionErrorText(cause)}.`;
  }
  const { status, headers } = error;
  if (status < 300 || status >= 400)
    return `${service} responded with ${status} and ${headers.get('content-type') ?? 'no content type'}, which is not a response of this API. Is UPTIME_URL the URL of the service?`;
  const to = headers.get('location');
  return `${service} redirects${to === null ? '' : ` to ${to}`}. Redirects are not followed, so that the key is not sent anywhere else. Set UPTIME_URL to the URL of the service itself.`;
}

/** Returns the message of an error response, without its fields. */
export function refusalText({ status, title, detail, code, request_id, errors, retryAfter }: Refusal): string {
  const again = retryAfter === undefined ? '' : ` Try again in ${Math.ceil(retryAfter)} s.`;
  // For status 400, the detail only points to the fields, which are listed separately.
  const says = status === 400 && errors && errors.length > 0 ? undefined : detail;
  const reason = oneLine([title && `${title}.`, says].filter(Boolean).join(' '));
  if (status === 401) return 'The API key was not accepted (401). Set UPTIME_API_KEY to a valid key of this service.';
  if (status === 403) return `The API key is not allowed to do this (403). ${reason}`;
  if (status === 429) return `Too many requests (429).${again}`;
  const mark = code === undefined ? `${status}` : `${status} ${code}`;
  const trace = status >= 500 && request_id !== undefined ? ` Request ${request_id}.` : '';
  return oneLine(`${reason === '' ? 'The request was refused.' : reason} (${mark})${again}${trace}`);
}

export interface DocumentPlace {
  /** The name to show in messages, or null if it means nothing to the user. */
  name: string | null;
  /** Returns the file and line for a line in the text, or null if unknown. */
  locate: (line: number) => { file: string; line: number } | null;
}

const NOWHERE: DocumentPlace = { name: null, locate: () => null };

/** Returns one line for each invalid field, with its location, the problem, and the fix. */
export function fieldLines({ errors }: Pick<Refusal, 'errors'>, { name, locate }: DocumentPlace): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map(({ pointer, line, code, message }: WrongField) => {
    const at = typeof line === 'number' ? locate(line) : null;
    const place = at ? `${at.file}:${at.line}` : name;
    const field = pointer === undefined || pointer === '' ? null : pointer;
    const hint = code === 'missing_secret' ? secretHint(message) : '';
    const where = [place, field].filter((part) => part !== null).map((part) => `${part}: `);
    return oneLine(`${where.join('')}${message ?? code ?? 'is not valid'}${hint}`);
  });
}

/** If the message is about a secret, returns the variable that sets it. */
function secretHint(message: string | undefined): string {
  const [, name] = /secrets: \{([A-Za-z_]\w*):/.exec(message ?? '') ?? [];
  return ` (or set UPTIME_SECRET_${name ?? '…'})`;
}

/** Returns `undefined` if the text isn't JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
