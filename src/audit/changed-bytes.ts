import type { Tx } from '../platform/database/database';

/** Called after each commit that added this much for an organization. */
export type ChangeMeter = (orgId: string, bytes: number) => void;

/** By connection pool: tests have several services in one process. */
const meters = new WeakMap<object, ChangeMeter>();

/** From now on `meter` is told of what the transactions of this pool add. Commands have none: nobody counts theirs. */
export function meterChanges({ pool }: Pick<Tx, 'pool'>, meter: ChangeMeter): void {
  meters.set(pool, meter);
}

/** Counts what a change adds for good beside its resource, about: to be called in its transaction. A rollback counts nothing. */
export function countChange(tx: Tx, orgId: string, bytes: number): void {
  const meter = meters.get(tx.pool);
  if (meter) tx.afterCommit(() => meter(orgId, bytes));
}
