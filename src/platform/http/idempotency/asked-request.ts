import { createHash } from 'node:crypto';
import type { AuthenticatedRequest } from '../../access/caller';
import { sortedMembers } from '../../text/json';

/** An organization's request with an idempotency key. */
export interface AskedRequest {
  orgId: string;
  key: string;
  /** The method, path, and query. */
  route: string;
  bodyDigest: Buffer;
}

/** The header name in Node's spelling. */
export const HEADER = 'idempotency-key';
const WELL_FORMED = /^[\x20-\x7e]{1,255}$/;

/**
 * Returns the key, or `null` unless exactly one was sent, with 1 to 255 printable ASCII characters. Reads the raw
 * headers, because Node joins repeated ones.
 */
export function wellFormedKey(rawHeaders: readonly string[]): string | null {
  const sent = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === HEADER);
  const [key = ''] = sent;
  return sent.length === 1 && WELL_FORMED.test(key) ? key : null;
}

/** Returns the request with its key, or `null` if there is no header or no organization. */
export function askedRequest({
  headers,
  caller,
  method,
  path,
  query,
  body,
}: AuthenticatedRequest): AskedRequest | null {
  const key = headers[HEADER];
  if (typeof key !== 'string' || !caller) return null;
  return { orgId: caller.orgId, key, route: `${method} ${path}${asText(query)}`, bodyDigest: digestOf(body) };
}

/** Returns a digest of the query that ignores the order of parameters, or an empty string if there is no query. */
function asText(query: AuthenticatedRequest['query']): string {
  const names = Object.keys(query).sort();
  const text = JSON.stringify(names.map((name) => [name, query[name]]));
  return names.length === 0 ? '' : `?${createHash('sha256').update(text).digest('base64url')}`;
}

/**
 * Returns the SHA-256 hash of the body's content. The order of members, whitespace, and the notation of numbers and
 * strings don't matter, because many clients serialize the body again for each attempt.
 */
export function digestOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(body === undefined ? '' : JSON.stringify(body, sortedMembers))
    .digest();
}
