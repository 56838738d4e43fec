import { AsyncLocalStorage } from 'node:async_hooks';
import type { TagSource } from './entity-tags';

/** The header names in Node's spelling. */
export const IF_MATCH = 'if-match';
export const IF_NONE_MATCH = 'if-none-match';

interface Tags {
  /** Whether `*` was sent, which matches any current state. */
  any: boolean;
  /** Tags, including quotes. Weak tags keep their `W/` prefix. */
  tags: readonly string[];
}

/** Matches a tag or nothing, up to the next comma or the end. */
const ITEM = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(,|$)/y;

/** Parses `If-Match` or `If-None-Match` as defined in RFC 9110. Returns `null` for anything else. */
export function parseTags(sent: string): Tags | null {
  if (sent.trim() === '*') return { any: true, tags: [] };
  const item = new RegExp(ITEM);
  const tags: string[] = [];
  let end: string | undefined;
  do {
    const found = item.exec(sent);
    if (!found) return null;
    if (found[1] !== undefined) tags.push(found[1]);
    end = found[2];
  } while (end === ',');
  return tags.length === 0 ? null : { any: false, tags };
}

/**
 * Returns whether `If-Match` holds for a resource with this strong tag. Weak tags never match (RFC 9110 section
 * 13.1.1).
 */
export const matches = ({ any, tags }: Tags, tag: string): boolean => any || tags.includes(tag);

/**
 * Returns whether `If-None-Match` contains this tag. The comparison is weak (RFC 9110 section 13.1.2), because proxies
 * that compress responses make tags weak. An invalid header contains no tags.
 */
export function isNamedBy(sent: string | undefined, tag: string): boolean {
  const named = sent === undefined ? null : parseTags(sent);
  const opaque = tag.replace(/^W\//, '');
  return named !== null && (named.any || named.tags.some((each) => each.replace(/^W\//, '') === opaque));
}

/** Throws unless the stored settings match the request's preconditions. */
export type Precondition = (stored: TagSource) => void;

const storage = new AsyncLocalStorage<Precondition | null>();
let open = 0;

/**
 * Throws `precondition_failed` if the request has an `If-Match` that doesn't match these settings, or an
 * `If-None-Match` that does. Call this after the row is locked and before anything is written.
 */
export const requireMatch = (stored: TagSource): void => storage.getStore()?.(stored);

/**
 * Runs `work` with its request's preconditions. The async storage slows down every promise a little, so it is disabled
 * while no work runs.
 */
export const underPrecondition = <T>(precondition: Precondition, work: () => Promise<T>): Promise<T> =>
  run(precondition, work);

/** Runs `work` without preconditions, because it changes resources to which the preconditions don't apply. */
export const withoutPrecondition = <T>(work: () => Promise<T>): Promise<T> => run(null, work);

async function run<T>(precondition: Precondition | null, work: () => Promise<T>): Promise<T> {
  open += 1;
  try {
    return await storage.run(precondition, work);
  } finally {
    open -= 1;
    if (open === 0) storage.disable();
  }
}
