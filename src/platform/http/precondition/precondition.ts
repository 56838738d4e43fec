import { AsyncLocalStorage } from 'node:async_hooks';
import type { TagSource } from './entity-tags';

/** As Node names them. */
export const IF_MATCH = 'if-match';
export const IF_NONE_MATCH = 'if-none-match';

interface Tags {
  /** `*`: whatever it is now. */
  any: boolean;
  /** With their quotes, weak ones with their `W/`. */
  tags: readonly string[];
}

/** A tag or nothing, up to the next comma or the end. */
const ITEM = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(,|$)/y;

/** What RFC 9110 allows in `If-Match` and `If-None-Match`; `null` for anything else. */
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

/** Whether an `If-Match` holds for a resource with this strong tag. Weak ones never match (RFC 9110 section 13.1.1). */
export const matches = ({ any, tags }: Tags, tag: string): boolean => any || tags.includes(tag);

/**
 * Whether an `If-None-Match` names what has this tag, compared weakly (RFC 9110 section 13.1.2): proxies that compress make tags weak.
 * What is no list of tags names nothing.
 */
export function isNamedBy(sent: string | undefined, tag: string): boolean {
  const named = sent === undefined ? null : parseTags(sent);
  const opaque = tag.replace(/^W\//, '');
  return named !== null && (named.any || named.tags.some((each) => each.replace(/^W\//, '') === opaque));
}

/** Throws unless the settings are those that the client has seen. */
export type Precondition = (stored: TagSource) => void;

const storage = new AsyncLocalStorage<Precondition | null>();
let open = 0;

/**
 * Throws `precondition_failed` when the request has an `If-Match` that does not name these settings, or an `If-None-Match` that does. To be called
 * once the row is locked and before anything is written.
 */
export const requireMatch = (stored: TagSource): void => storage.getStore()?.(stored);

/** Runs `work` under the preconditions of its request. The storage costs every promise a little: it is off while none is open. */
export const underPrecondition = <T>(precondition: Precondition, work: () => Promise<T>): Promise<T> =>
  run(precondition, work);

/** For work that changes other resources than the one that the preconditions of the request are about. */
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
