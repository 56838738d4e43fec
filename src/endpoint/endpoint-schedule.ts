import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Sql } from '../platform/database/database';

/** One slot taken by this process: no other instance will run it. */
export interface ClaimedSlot {
  endpointId: string;
  orgId: string;
  /** Of the definition to run; one of an older revision must be read again. */
  revision: number;
  /** When the check is due, milliseconds since the epoch by the database's clock. */
  slotMs: number;
  /** The database's clock when the claim was made: the only time that scheduling trusts. */
  nowMs: number;
}

/** The part of an endpoint that the schedule keeps. */
export interface Scheduled {
  endpointId: string;
  orgId: string;
  intervalSeconds: number;
  timeoutSeconds: number;
  /** Endpoint and website are both enabled. */
  active: boolean;
  revision: number;
}

// A check may be repeated once for confirmation: it may still be running this long after its slot.
const BUSY_SECONDS = '(2 * timeout_seconds + 5)';

/** The first grid point of an endpoint that is at least half an interval after `at`: phase + k * interval since the epoch. */
const nextSlot = (at: string, phaseMs: string, intervalSeconds: string): string => {
  const stride = `make_interval(secs => ${intervalSeconds})`;
  const origin = `(timestamptz 'epoch' + make_interval(secs => ${phaseMs} / 1000.0))`;
  return `date_bin(${stride}, ${at} + ${stride} / 2, ${origin}) + ${stride}`;
};

/** More than 10 s late. Its newest slot is run once, spread so that a whole backlog does not run at one moment. */
const OVERDUE = `(next_check_at < now() - interval '10 seconds' AND (busy_until IS NULL OR busy_until < now()))`;

// Claiming is one short statement on the narrow table, by database time. An endpoint that another instance may still be
// checking is skipped; this instance keeps checks of one endpoint apart in memory. Cost: one index range scan over the due
// rows and one update of each (measured with PostgreSQL 15: docs/benchmarks.md).
const claimOf = (organizations: string): string => `
  WITH due AS (
    SELECT endpoint_id, next_check_at FROM endpoint_schedule
     WHERE active AND next_check_at <= now() + make_interval(secs => $1::float8) AND NOT ${OVERDUE}
       AND (busy_until IS NULL OR busy_until <= next_check_at OR claimed_by = $3) AND ${organizations}
     ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE endpoint_schedule s
     SET claimed_slot = due.next_check_at,
         claimed_by = $3,
         busy_until = CASE WHEN ${BUSY_SECONDS} >= s.interval_seconds
                           THEN GREATEST(due.next_check_at, now()) + make_interval(secs => ${BUSY_SECONDS}) END,
         next_check_at = ${nextSlot('GREATEST(due.next_check_at, now() - make_interval(secs => s.interval_seconds / 2.0))', 's.phase_ms', 's.interval_seconds')}
    FROM due WHERE s.endpoint_id = due.endpoint_id
  RETURNING s.endpoint_id AS "endpointId", s.org_id AS "orgId", s.revision,
            extract(epoch FROM due.next_check_at)::float8 * 1000 AS "slotMs",
            extract(epoch FROM now())::float8 * 1000 AS "nowMs"`;
const CLAIM = claimOf('org_id <> ALL ($4::uuid[])');
const CLAIM_OF_ONE = claimOf('org_id = $4::uuid');

/** A moment in the next min(interval, 30 s), at the same offset for an endpoint each time. */
const SOON = `now() + make_interval(secs => (phase_ms % (LEAST(interval_seconds, 30) * 1000)) / 1000.0)`;

// After downtime the newest slot is run once, spread over min(interval, 30 s); the slots before it are gaps, not failures.
const SPREAD_OVERDUE = `
  UPDATE endpoint_schedule SET next_check_at = ${SOON}
   WHERE endpoint_id IN (
     SELECT endpoint_id FROM endpoint_schedule
      WHERE active AND ${OVERDUE}
      ORDER BY next_check_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

// Normally no slot is more than one and a half intervals ahead. Cost: an index range scan of all slots ahead; only run
// after the clock was set back.
const BRING_FORWARD = `
  UPDATE endpoint_schedule SET next_check_at = ${SOON}, busy_until = NULL
   WHERE active AND next_check_at > now() + make_interval(secs => 2 * interval_seconds + 10)`;

const UNRECORDED = '(t.last_slot_at IS NULL OR t.last_slot_at < s.claimed_slot)';

/** Endpoints that one statement stops for good. */
const STOP_BATCH = 2000;

/** The only SQL that moves `next_check_at`. Stateless: the caller passes the connection or the transaction. */
@Injectable()
export class EndpointSchedule {
  /** Claims at most `limit` slots that fall due within `aheadSeconds`: no overdue ones, none of organizations in `without`. */
  claim(
    sql: Sql,
    instance: number,
    limit: number,
    aheadSeconds: number,
    without: readonly string[] = [],
  ): Promise<ClaimedSlot[]> {
    return sql.query<ClaimedSlot>(CLAIM, [aheadSeconds, limit, instance, without]);
  }

  /** The same for the slots of one organization only. */
  claimOfOne(sql: Sql, instance: number, limit: number, aheadSeconds: number, orgId: string): Promise<ClaimedSlot[]> {
    return sql.query<ClaimedSlot>(CLAIM_OF_ONE, [aheadSeconds, limit, instance, orgId]);
  }

  /** Moves overdue slots into the next seconds, at most 5,000; returns how many. */
  async spreadOverdue(sql: Sql): Promise<number> {
    return (await sql.query(SPREAD_OVERDUE)).length;
  }

  /** After the database's clock was set back: slots planned by the old time become due within min(interval, 30 s). */
  async bringForward(sql: Sql): Promise<void> {
    await sql.query(BRING_FORWARD);
  }

  /** A new endpoint: due at once, then on its grid. */
  async add(sql: Sql, row: Scheduled): Promise<void> {
    await sql.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now())`,
      [
        row.endpointId,
        row.orgId,
        row.intervalSeconds,
        row.timeoutSeconds,
        phaseMs(row.endpointId, row.intervalSeconds),
        row.active,
        row.revision,
      ],
    );
  }

  /** A changed endpoint. `dueAtOnce` when its check has changed or it was enabled; otherwise its next slot on the new grid. */
  async change(sql: Sql, row: Scheduled, dueAtOnce: boolean): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule SET interval_seconds = $2, timeout_seconds = $3, phase_ms = $4, active = $5, revision = $6,
              next_check_at = CASE WHEN $7 THEN now() ELSE LEAST(next_check_at, ${nextSlot('now()', '$4::integer', '$2::integer')}) END
        WHERE endpoint_id = $1`,
      [
        row.endpointId,
        row.intervalSeconds,
        row.timeoutSeconds,
        phaseMs(row.endpointId, row.intervalSeconds),
        row.active,
        row.revision,
        dueAtOnce,
      ],
    );
  }

  /** Enables or disables all endpoints of a website with it; enabled ones are due at once, spread over min(interval, 30 s). */
  async switchWebsite(sql: Sql, websiteId: string, on: boolean): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule s
          SET active = $2 AND e.enabled,
              next_check_at = CASE WHEN $2 THEN now() + make_interval(secs => (s.phase_ms % (LEAST(s.interval_seconds, 30) * 1000)) / 1000.0 * LEAST(1, n.count / 100.0))
                                   ELSE s.next_check_at END
         FROM endpoint e, (SELECT count(*) FROM endpoint WHERE website_id = $1) n
        WHERE e.id = s.endpoint_id AND e.website_id = $1`,
      [websiteId, on],
    );
  }

  /** Of an organization or website that is being deleted: stops some; true when there may be more. Their revisions stay. */
  async stopSome(sql: Sql, by: 'org_id' | 'website_id', id: string): Promise<boolean> {
    const rows = await sql.query(
      `UPDATE endpoint_schedule SET active = false WHERE endpoint_id IN (
         SELECT s.endpoint_id FROM endpoint e JOIN endpoint_schedule s ON s.endpoint_id = e.id
          WHERE e.${by} = $1 AND s.active LIMIT ${STOP_BATCH}) RETURNING 1`,
      [id],
    );
    return rows.length === STOP_BATCH;
  }

  /** Returns slots that this process claimed and did not run: they are due again at once. */
  async giveBack(sql: Sql, endpointIds: readonly string[]): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule SET next_check_at = now(), busy_until = NULL, claimed_by = NULL WHERE endpoint_id = ANY($1)`,
      [endpointIds],
    );
  }

  /** Lets other instances claim the next slot of endpoints whose check has been recorded. */
  async release(sql: Sql, endpointIds: readonly string[]): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule SET busy_until = NULL WHERE endpoint_id = ANY($1) AND busy_until IS NOT NULL`,
      [endpointIds],
    );
  }

  /**
   * Slots that a dead instance had claimed and not recorded are due at once, and its endpoints are no longer marked as
   * being checked. Returns how many endpoints are due.
   */
  async takeOver(sql: Sql, deadInstance: number): Promise<number> {
    const rows = await sql.query<{ due: boolean }>(
      `UPDATE endpoint_schedule s SET busy_until = NULL, claimed_by = NULL,
              next_check_at = CASE WHEN ${UNRECORDED} THEN now() ELSE s.next_check_at END
         FROM endpoint_state t
        WHERE s.claimed_by = $1 AND t.endpoint_id = s.endpoint_id AND (s.busy_until IS NOT NULL OR ${UNRECORDED})
        RETURNING ${UNRECORDED} AS due`,
      [deadInstance],
    );
    return rows.filter(({ due }) => due).length;
  }
}

/**
 * Slots are multiples of this. Checks that begin together share the process's wake-ups, for their starts and for the
 * responses of targets that are equally fast: docs/decisions/0007-slot-raster.md.
 */
const RASTER_MS = 20;

/** An endpoint's offset on its grid in milliseconds: hash(id) mod interval, so that load is even. */
export function phaseMs(endpointId: string, intervalSeconds: number): number {
  const offsets = (intervalSeconds * 1000) / RASTER_MS;
  return (createHash('sha256').update(endpointId).digest().readUInt32BE() % offsets) * RASTER_MS;
}
