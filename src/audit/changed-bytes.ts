import type { Tx } from '../platform/database/database';

/** Called after each commit that added this many bytes for an organization. */
export type ChangeMeter = (orgId: string, bytes: number) => void;

/** Keyed by connection pool, because tests run several services in one process. */
const meters = new WeakMap<object, ChangeMeter>();

/**
 * Reports to `meter` how many bytes each transaction of this pool adds. Commands have no meter, so their changes aren't
 * counted.
 */
export function meterChanges({ pool }: Pick<Tx, 'pool'>, meter: ChangeMeter): void {
  meters.set(pool, meter);
}

/**
 * Counts approximately how many bytes a change adds permanently, excluding the changed resource itself. Call this in
 * the same transaction. A rollback counts nothing.
 */
export function countChange(tx: Tx, orgId: string, bytes: number): void {
  const meter = meters.get(tx.pool);
  if (meter) tx.afterCommit(() => meter(orgId, bytes));
}
