import { AsyncLocalStorage } from 'node:async_hooks';
import type { TagSource } from './tagged';

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
