import { Injectable } from '@nestjs/common';
import type { Suppressed } from '../endpoint/endpoint-events';
import { type Coverable, covers } from '../endpoint/suppression/cover';
import type { Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { HeartbeatSweep } from './heartbeat-sweep.job';

/** The heartbeat is `down`, or could become `down` when overdue runs are decided. The sweep checks again. */
const MAY_BE_DOWN = `(h.last_verdict ->> 'outcome' = 'down' OR h.next_at <= $1)`;

// Cost: one pass over all heartbeats of the installation, and two lookups for each that may be down.
const COVERABLE = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM heartbeat h JOIN endpoint e ON e.id = h.endpoint_id JOIN website w ON w.id = e.website_id
   WHERE ${MAY_BE_DOWN} AND e.org_id = $2`;

// In ID order, as in every statement that locks several heartbeats. Cost: one index lookup per ID, and an update of
// those that may be down.
const repeatSql = (ids: string) => `
  UPDATE heartbeat SET repeat_at = LEAST(repeat_at, $1)
   WHERE endpoint_id IN (
     SELECT h.endpoint_id FROM heartbeat h WHERE h.endpoint_id IN (${ids}) AND ${MAY_BE_DOWN} ORDER BY h.endpoint_id FOR UPDATE)
  RETURNING 1`;
const REPEAT = repeatSql('SELECT unnest($2::uuid[])');
const REPEAT_OF_CHILDREN = repeatSql('SELECT endpoint_id FROM endpoint_dependency WHERE parent_id = ANY ($2::uuid[])');

/** Repeats the newest result of each heartbeat that is still down after a suppression of its alerts has ended. */
@Injectable()
export class VerdictRepeat {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly sweep: HeartbeatSweep,
  ) {}

  /** Call this in the transaction that ends the suppression. Cost: one statement, or two for a maintenance window. */
  async of(tx: Tx, suppressed: Suppressed): Promise<void> {
    const now = this.clock.now();
    if ('orgId' in suppressed) {
      const found = await tx.query<Coverable>(COVERABLE, [now, suppressed.orgId]);
      const endpointIds = found.filter((endpoint) => covers(suppressed, endpoint)).map(({ id }) => id);
      if (endpointIds.length > 0) await this.of(tx, { endpointIds });
      return;
    }
    const rows =
      'parentIds' in suppressed
        ? await tx.query(REPEAT_OF_CHILDREN, [now, suppressed.parentIds])
        : await tx.query(REPEAT, [now, suppressed.endpointIds]);
    if (rows.length > 0) tx.afterCommit(() => this.sweep.wake());
  }
}
