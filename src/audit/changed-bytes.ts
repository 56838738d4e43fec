import type { Tx } from '../platform/database/database';

/** Called after each commit that added this many bytes for an organization. */
export type ChangeMeter = (orgId: string, bytes: number) => void;

/** By connection pool, because tests have several services in one process. */
const meters = new WeakMap<object, ChangeMeter>();

/**
 * Reports the growth by transactions of this pool to `meter`. Commands have no meter, so their changes aren't counted.
 */
export function meterChanges({ pool }: Pick<Tx, 'pool'>, meter: ChangeMeter): void {
  meters.set(pool, meter);
}

/**
 * Counts about how many bytes a change adds permanently, except its resource. Call this in its transaction. A rollback
 * counts nothing.
 */
export function countChange(tx: Tx, orgId: string, bytes: number): void {
  const meter = meters.get(tx.pool);
  if (meter) tx.afterCommit(() => meter(orgId, bytes));
}
