import { AsyncLocalStorage } from 'node:async_hooks';
import type { TagSource } from './entity-tags';

/** As Node names it. */
export const HEADER = 'if-match';

interface IfMatch {
  /** `*`: whatever it is now. */
  any: boolean;
  /** Strong tags with their quotes, of which one has to match. Weak ones are left out: they never do. */
  tags: readonly string[];
}

/** A tag or nothing, up to the next comma or the end. */
const ITEM = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(,|$)/y;

/** What RFC 9110 allows in `If-Match`; `null` for anything else. */
export function parseIfMatch(sent: string): IfMatch | null {
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
  return tags.length === 0 ? null : { any: false, tags: tags.filter((tag) => !tag.startsWith('W/')) };
}

/** Throws unless the settings are those that the client has seen. */
export type Precondition = (stored: TagSource) => void;

const storage = new AsyncLocalStorage<Precondition | null>();
let open = 0;

/**
 * Throws `precondition_failed` when the request has an `If-Match` and these are not the settings that it names. To be called
 * once the row is locked and before anything is written.
 */
export const requireMatch = (stored: TagSource): void => storage.getStore()?.(stored);

/** Runs `work` under the `If-Match` of its request. The storage costs every promise a little: it is off while none is open. */
export const underPrecondition = <T>(precondition: Precondition, work: () => Promise<T>): Promise<T> =>
  run(precondition, work);

/** For work that changes other resources than the one that the `If-Match` of the request is about. */
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
