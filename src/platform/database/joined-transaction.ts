import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tx } from './database';

/** `tx` is `null` once the work has ended: what it left running must not write into a transaction that is over. */
interface Scope {
  tx: Tx | null;
}

const storage = new AsyncLocalStorage<Scope>();
let open = 0;

/** The transaction that what runs now is part of; `null` outside of `joinTransaction`. */
export const joinedTransaction = (): Tx | null => storage.getStore()?.tx ?? null;

/**
 * Runs `work` as a part of the open transaction: every query of it, on either pool, goes through `tx`, and a transaction
 * that it begins is a savepoint in this one. It must begin no two of them at once. The storage costs every promise of the
 * process a little, so it is switched off while nothing uses it.
 */
export async function joinTransaction<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const scope: Scope = { tx };
  open += 1;
  try {
    return await storage.run(scope, work);
  } finally {
    scope.tx = null;
    open -= 1;
    if (open === 0) storage.disable();
  }
}
