import { createHash } from 'node:crypto';
import type { AuthenticatedRequest } from '../../access/caller';
import { sortedMembers } from '../../text/json';

/** One request of an organization under a key of its choice. */
export interface AskedRequest {
  orgId: string;
  key: string;
  /** Method, path and query. */
  route: string;
  bodyDigest: Buffer;
}

/** As Node names it. */
export const HEADER = 'idempotency-key';
const WELL_FORMED = /^[\x20-\x7e]{1,255}$/;

/**
 * The key that was sent; `null` unless it is one of 1 to 255 printable ASCII characters. From the raw headers, because Node
 * joins repeated ones.
 */
export function wellFormedKey(rawHeaders: readonly string[]): string | null {
  const sent = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === HEADER);
  const [key = ''] = sent;
  return sent.length === 1 && WELL_FORMED.test(key) ? key : null;
}

/** The request under its key; `null` without the header or without an organization. */
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

/** The digest of a query, whose parameters may come in any order; empty without one. */
function asText(query: AuthenticatedRequest['query']): string {
  const names = Object.keys(query).sort();
  const text = JSON.stringify(names.map((name) => [name, query[name]]));
  return names.length === 0 ? '' : `?${createHash('sha256').update(text).digest('base64url')}`;
}

/**
 * SHA-256 of what the body says: members of an object in any order, whitespace and ways to write a number or text make no
 * difference, because many clients write the body again for each attempt.
 */
export function digestOf(body: unknown): Buffer {
  return createHash('sha256')
    .update(body === undefined ? '' : JSON.stringify(body, sortedMembers))
    .digest();
}
