import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ClaimedSlot } from '../engine/claimed-slot';
import type { Sql, Tx } from '../platform/database/database';
import { rowsOf } from '../platform/database/rows-of';
import { epochMs } from '../platform/database/epoch-ms';
import { TransactionEvents } from '../platform/events/transaction-events';
import { LOCAL_NAME } from '../probe/probe-directory';
import { SuppressionEnded } from './endpoint-events';
import { isLocated } from './locations/locations';
import { OUTCOME_CODE } from './outcome-code';
import { type Coverable, covers, type MaintenanceScope } from './suppression/cover';

export interface Claim {
  slots: readonly ClaimedSlot[];
  /** The time of the claim by the database's clock. Scheduling trusts no other clock. */
  nowMs: number;
  /** True if there is more than one organization. */
  several: boolean;
}

/** The endpoint columns that are copied to the schedule. */
export interface Scheduled {
  endpointId: string;
  orgId: string;
  intervalSeconds: number;
  timeoutSeconds: number;
  /** True if both the endpoint and its website are enabled. */
  active: boolean;
  /**
   * True if instances claim the endpoint according to the clock. Otherwise it has no slots, and its results come from
   * elsewhere.
   */
  scheduled: boolean;
  revision: number;
  locations: readonly string[];
}

/** The next slot of an endpoint that has no slots. */
const NO_SLOT = `timestamptz 'infinity'`;

// A check may be repeated once for confirmation, so it may still be running this long after its slot.
const BUSY_SECONDS = '(2 * timeout_seconds + 5)';

/** Returns the first grid point (phase + k * interval since the epoch) that is at least half an interval after `at`. */
const nextSlot = (at: string, phaseMs: string, intervalSeconds: string): string => {
  const stride = `make_interval(secs => ${intervalSeconds})`;
  const origin = `(timestamptz 'epoch' + make_interval(secs => ${phaseMs} / 1000.0))`;
  return `date_bin(${stride}, ${at} + ${stride} / 2, ${origin}) + ${stride}`;
};

/** SQL condition: the instance whose number is `$3` may claim the endpoint. */
const FREE = '(busy_until IS NULL OR busy_until <= GREATEST(next_check_at, now()) OR claimed_by = $3)';

/**
 * The distance to the next slot in intervals: 1 between two slots of the grid, 0.5 to 1.5 from a time that is not on
 * the grid.
 */
const DISTANCE = `(extract(epoch FROM s.next_check_at - due.next_check_at)::float8 / s.interval_seconds)`;

/** True if there is a second organization. */
const SEVERAL = '(SELECT count(*) > 1 FROM (SELECT FROM organization LIMIT 2) AS o)';

// Claiming is one short statement on the narrow table, using the database's clock. The slots that have waited longest
// come first, however late they are, and the endpoint's next slot is the first one in the future. So an endpoint waits
// its turn once per interval, and under overload all endpoints with the same interval lose the same share
// (docs/decisions/0019-overload.md). The statement skips an endpoint that another instance may still be checking.
// Within this instance, checks of the same endpoint are kept apart in memory. If the clock is past $5, it has jumped,
// and nothing is claimed. The first two columns are returned even if there are no slots. Cost: one index range scan
// over the due rows and one update for each, measured with PostgreSQL 15 (docs/contributing/benchmarks.md).
const claimOf = (organizations: string): string => `
  WITH due AS (
    SELECT endpoint_id, next_check_at FROM endpoint_schedule
     WHERE active AND scheduled AND next_check_at <= now() + make_interval(secs => $1::float8) AND now() <= $5::timestamptz
       AND ${FREE} AND ${organizations} AND endpoint_id <> ALL ($6::uuid[])
     ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE endpoint_schedule s
       SET claimed_slot = due.next_check_at,
           claimed_by = $3,
           busy_until = CASE WHEN ${BUSY_SECONDS} >= s.interval_seconds
                             THEN GREATEST(due.next_check_at, now()) + make_interval(secs => ${BUSY_SECONDS}) END,
           next_check_at = ${nextSlot('GREATEST(due.next_check_at, now() - make_interval(secs => s.interval_seconds / 2.0))', 's.phase_ms', 's.interval_seconds')}
      FROM due WHERE s.endpoint_id = due.endpoint_id
    RETURNING s.endpoint_id, s.org_id, s.revision, due.next_check_at AS slot, ${DISTANCE} AS distance
  )
  SELECT ${epochMs('now()')} AS "nowMs", ${SEVERAL} AS several, endpoint_id AS "endpointId", org_id AS "orgId", revision,
         ${epochMs('slot')} AS "slotMs", GREATEST(0, ceil(distance - 0.5) - 1)::int AS skipped
    FROM (SELECT 1) AS always LEFT JOIN claimed ON true`;
const CLAIM = claimOf('org_id <> ALL ($4::uuid[])');
const CLAIM_OF_ONE = claimOf('org_id = $4::uuid');

/** A time within min(interval, 30 s) from now. The offset is always the same for a given endpoint. */
const SOON = `now() + make_interval(secs => (phase_ms % (LEAST(interval_seconds, 30) * 1000)) / 1000.0)`;

// After downtime, only the newest slot runs, spread over min(interval, 30 s). Earlier slots are gaps, not failures.
// Cost: an index range scan over the rows due before $1, and one update for each.
const SPREAD_OVERDUE = `
  WITH due AS (
    SELECT endpoint_id, next_check_at FROM endpoint_schedule
     WHERE active AND scheduled AND next_check_at < $1::timestamptz AND (busy_until IS NULL OR busy_until < now())
     ORDER BY next_check_at LIMIT 5000 FOR UPDATE SKIP LOCKED
  ), spread AS (
    UPDATE endpoint_schedule s SET next_check_at = ${SOON}
      FROM due WHERE s.endpoint_id = due.endpoint_id
    RETURNING ${DISTANCE} AS distance
  )
  SELECT count(*)::int AS endpoints, coalesce(sum(GREATEST(0, ceil(distance - 0.5))), 0)::float8 AS slots FROM spread`;

// Under overload, no slot waits much longer than $1 seconds, so there is no long backlog when the load drops. An
// endpoint that was skipped $2 times in a row keeps waiting and is claimed next. New endpoints are also claimed next,
// so all lose the same share. Cost: an index range scan over the rows that are this late, and one update for each
// skipped row.
const SKIP_LATE = `
  WITH due AS (
    SELECT endpoint_id, next_check_at FROM endpoint_schedule
     WHERE active AND scheduled AND next_check_at < now() - make_interval(secs => $1::float8) AND (busy_until IS NULL OR busy_until < now())
       AND next_check_at < claimed_slot + make_interval(secs => ($2::int + 0.5) * interval_seconds)
     ORDER BY next_check_at LIMIT 5000 FOR UPDATE SKIP LOCKED
  ), skipped AS (
    UPDATE endpoint_schedule s
       SET next_check_at = ${nextSlot('GREATEST(due.next_check_at, now() - make_interval(secs => s.interval_seconds / 2.0))', 's.phase_ms', 's.interval_seconds')}
      FROM due WHERE s.endpoint_id = due.endpoint_id
    RETURNING ${DISTANCE} AS distance
  )
  SELECT coalesce(sum(GREATEST(1, ceil(distance - 0.5))), 0)::int AS slots FROM skipped`;

// Normally no slot is more than one and a half intervals in the future. Cost: an index range scan over all future
// slots. It runs only after the clock was set back.
const BRING_FORWARD = `
  UPDATE endpoint_schedule SET next_check_at = ${SOON}, busy_until = NULL
   WHERE active AND scheduled AND next_check_at > now() + make_interval(secs => 2 * interval_seconds + 10)`;

// The result is never more than one interval in the future, because the database's clock may have been set back since
// the claim.
const GIVE_BACK = `
  UPDATE endpoint_schedule s
     SET next_check_at = CASE WHEN s.scheduled
                              THEN GREATEST(now(), LEAST(first.slot, now() + make_interval(secs => s.interval_seconds)))
                              ELSE s.next_check_at END,
         busy_until = NULL, claimed_by = NULL
    FROM (SELECT endpoint_id, to_timestamp(min(slot_ms) / 1000) AS slot
            FROM unnest($1::uuid[], $2::float8[]) AS u (endpoint_id, slot_ms) GROUP BY endpoint_id) first
   WHERE s.endpoint_id = first.endpoint_id AND s.claimed_by = $3`;

// A slot that is taken over counts as recorded. If the old instance is alive and delivers its result after all, that
// result is a duplicate, and the slot that is now due is a later one. This statement waits for results that are being
// recorded. It doesn't take over slots that the instance claims in the meantime. Cost: two scans of the table. Each row
// that the instance had claimed costs one update, plus updates of its state and location if they were not recorded.
const TAKE_OVER = `
  WITH taken AS (
    UPDATE endpoint_state t SET last_slot_at = s.claimed_slot FROM endpoint_schedule s
     WHERE s.claimed_by = $1 AND s.scheduled AND t.endpoint_id = s.endpoint_id
       AND (t.last_slot_at IS NULL OR t.last_slot_at < s.claimed_slot)
    RETURNING t.endpoint_id, s.claimed_slot AS slot
  ), here AS (
    UPDATE endpoint_location l SET last_slot_at = taken.slot FROM taken WHERE l.endpoint_id = taken.endpoint_id AND l.number = 0
  )
  UPDATE endpoint_schedule s
     SET busy_until = NULL, claimed_by = NULL,
         next_check_at = CASE WHEN taken.slot IS NULL THEN s.next_check_at ELSE GREATEST(now(), taken.slot + interval '1 millisecond') END
    FROM endpoint_schedule seen LEFT JOIN taken USING (endpoint_id)
   WHERE seen.claimed_by = $1 AND s.endpoint_id = seen.endpoint_id AND s.claimed_by = $1 AND s.claimed_slot = seen.claimed_slot
     AND (s.busy_until IS NOT NULL OR taken.slot IS NOT NULL)
  RETURNING taken.slot IS NOT NULL AS due`;

/** The number of endpoints that one statement deactivates permanently. */
const STOP_BATCH = 2000;

/**
 * The start of the spread over min(interval, 30 s) after maintenance that ended at `end`. It is now if that period is
 * over or the clock was set back.
 */
const AFTER = (end: string): string => {
  const span = 'make_interval(secs => LEAST(s.interval_seconds, 30))';
  return `CASE WHEN ${end} > now() OR now() > ${end} + ${span} THEN now() ELSE ${end} END`;
};
const LATER = `s.active AND s.scheduled AND s.next_check_at > ${AFTER('$2::timestamptz')} + make_interval(secs => LEAST(s.interval_seconds, 30))`;

// Cost: one index lookup per website of the organization, and a few per endpoint that is down.
const DOWN_AND_LATER = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM website w
    JOIN endpoint_state t ON t.website_id = w.id AND t.enabled AND t.status = ${OUTCOME_CODE.down}
    JOIN endpoint_schedule s ON s.endpoint_id = t.endpoint_id
    JOIN endpoint e ON e.id = t.endpoint_id
   WHERE w.org_id = $1 AND ${LATER}`;

// Rows that another transaction has locked are left for the next call, because they are about to be claimed or changed
// anyway. Cost: one update per row.
const DUE_AFTER = `
  UPDATE endpoint_schedule d
     SET next_check_at = GREATEST(now(), ${AFTER('$2::timestamptz')} + make_interval(secs => (s.phase_ms % (LEAST(s.interval_seconds, 30) * 1000)) / 1000.0))
    FROM (SELECT * FROM endpoint_schedule s WHERE s.endpoint_id = ANY ($1::uuid[]) AND ${LATER} FOR UPDATE SKIP LOCKED) s
   WHERE d.endpoint_id = s.endpoint_id RETURNING 1`;

// Skips endpoints that are being checked or have just been checked. Cost: one index lookup and one update per row.
const DUE_NOW = `
  UPDATE endpoint_schedule s SET next_check_at = now()
   WHERE s.endpoint_id = ANY ($1::uuid[]) AND s.active AND s.scheduled AND s.next_check_at > now() AND s.busy_until IS NULL
     AND NOT EXISTS (SELECT FROM endpoint_location l WHERE l.endpoint_id = s.endpoint_id AND l.number = 0
                        AND l.last_checked_at > now() - make_interval(secs => LEAST(s.interval_seconds, 30)))`;

/** The number of endpoints that one call of `dueAfter` moves. */
const DUE_BATCH = 2000;

const SCHEDULED = rowsOf<Scheduled>({
  endpoint_id: ['uuid', ({ endpointId }) => endpointId],
  org_id: ['uuid', ({ orgId }) => orgId],
  interval_seconds: ['int', ({ intervalSeconds }) => intervalSeconds],
  timeout_seconds: ['int', ({ timeoutSeconds }) => timeoutSeconds],
  phase_ms: ['int', ownPhaseMs],
  active: ['boolean', ({ active }) => active],
  revision: ['int', ({ revision }) => revision],
  scheduled: ['boolean', ({ scheduled }) => scheduled],
  located: ['boolean', ({ locations }) => isLocated(locations)],
});

const ADD = `
  INSERT INTO endpoint_schedule (${SCHEDULED.names}, next_check_at)
  SELECT *, CASE WHEN r.scheduled THEN now() ELSE ${NO_SLOT} END FROM ${SCHEDULED.as('r')}`;

const CHANGED = rowsOf<Scheduled & { isDueAtOnce: boolean }>({
  ...SCHEDULED.columns,
  at_once: ['boolean', ({ isDueAtOnce }) => isDueAtOnce],
});

const CHANGE = `
  UPDATE endpoint_schedule s
     SET interval_seconds = r.interval_seconds, timeout_seconds = r.timeout_seconds, phase_ms = r.phase_ms, active = r.active,
         revision = r.revision, scheduled = r.scheduled, located = r.located,
         next_check_at = CASE WHEN NOT r.scheduled THEN ${NO_SLOT} WHEN r.at_once THEN now()
                              ELSE LEAST(s.next_check_at, ${nextSlot('now()', 'r.phase_ms', 'r.interval_seconds')}) END
    FROM ${CHANGED.as('r')} WHERE s.endpoint_id = r.endpoint_id`;

/** Contains all SQL that changes `next_check_at`. Stateless: the caller passes the connection or the transaction. */
@Injectable()
export class EndpointSchedule {
  constructor(private readonly events: TransactionEvents) {}

  /**
   * Claims at most `limit` slots that fall due within `aheadSeconds`, starting with those that have waited longest.
   * Skips the organizations in `without` and the endpoints in `left`. Claims nothing if the database's clock is past
   * `notAfter`.
   */
  claim(
    sql: Sql,
    instance: number,
    limit: number,
    aheadSeconds: number,
    { without = [], ...bounds }: { without?: readonly string[] } & ClaimBounds = {},
  ): Promise<Claim> {
    return claimed(sql, CLAIM, [aheadSeconds, limit, instance, without, ...boundsOf(bounds)]);
  }

  /** Claims slots of one organization only. Otherwise works like `claim`. */
  claimOfOne(
    sql: Sql,
    instance: number,
    limit: number,
    aheadSeconds: number,
    { orgId, ...bounds }: { orgId: string } & ClaimBounds,
  ): Promise<Claim> {
    return claimed(sql, CLAIM_OF_ONE, [aheadSeconds, limit, instance, orgId, ...boundsOf(bounds)]);
  }

  /**
   * Moves slots that fell due before `before` into the next few seconds, for at most 5,000 endpoints. Returns the
   * number of endpoints and the number of missed slots.
   */
  async spreadOverdue(sql: Sql, before: Date): Promise<{ endpoints: number; slots: number }> {
    const [row] = await sql.query<{ endpoints: number; slots: number }>(SPREAD_OVERDUE, [before]);
    return row ?? { endpoints: 0, slots: 0 };
  }

  /**
   * Skips slots that are more than `lateSeconds` late, for at most 5,000 endpoints that were skipped fewer than
   * `inARow` times since their last claim. Returns the number of skipped slots.
   */
  async skipLate(sql: Sql, lateSeconds: number, inARow: number): Promise<number> {
    const [row] = await sql.query<{ slots: number }>(SKIP_LATE, [lateSeconds, inARow]);
    return row?.slots ?? 0;
  }

  /**
   * Finds endpoints that are down and were covered by maintenance, and makes them due within min(interval, 30 s) of its
   * `end`, at most 2,000 endpoints per call. `moved` is the number of endpoints it moved. `left` is the number that
   * remain, possibly because their rows were locked. When none remain, it emits `SuppressionEnded` for endpoints
   * without slots.
   */
  async dueAfter(
    tx: Tx,
    scope: MaintenanceScope & { orgId: string },
    end: Date,
  ): Promise<{ moved: number; left: number }> {
    const down = await tx.query<Coverable>(DOWN_AND_LATER, [scope.orgId, end]);
    const ids = down.filter((endpoint) => covers(scope, endpoint)).map(({ id }) => id);
    const moved = ids.length === 0 ? [] : await tx.query(DUE_AFTER, [ids.slice(0, DUE_BATCH), end]);
    const left = ids.length - moved.length;
    if (left === 0) await this.events.emit(new SuppressionEnded(scope), tx);
    return { moved: moved.length, left };
  }

  /**
   * Makes these endpoints due because another location sees them as down, unless they were checked here within
   * min(interval, 30 s).
   */
  async dueNow(sql: Sql, endpointIds: readonly string[]): Promise<void> {
    await sql.query(DUE_NOW, [endpointIds]);
  }

  /** Makes slots due within min(interval, 30 s) if they were planned before the database's clock was set back. */
  async bringForward(sql: Sql): Promise<void> {
    await sql.query(BRING_FORWARD);
  }

  /** Adds new endpoints. Scheduled ones are due immediately, then on their grid. Cost: one statement. */
  async add(sql: Sql, rows: readonly Scheduled[]): Promise<void> {
    await sql.query(ADD, SCHEDULED.of(rows));
  }

  /**
   * Updates the rows of changed endpoints. `isDueAtOnce` is true if its check has changed or it was enabled. Otherwise
   * its next slot is on the new grid. Cost: one statement.
   */
  async change(sql: Sql, rows: readonly (Scheduled & { isDueAtOnce: boolean })[]): Promise<void> {
    if (rows.length === 0) return;
    await sql.query(CHANGE, CHANGED.of(rows));
  }

  /**
   * Enables or disables all endpoints of a website together with it. Enabled ones become due, spread over min(interval,
   * 30 s).
   */
  async switchWebsite(sql: Sql, websiteId: string, on: boolean): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule s
          SET active = $2 AND e.enabled,
              next_check_at = CASE WHEN $2 AND s.scheduled THEN now() + make_interval(secs => (s.phase_ms % (LEAST(s.interval_seconds, 30) * 1000)) / 1000.0 * LEAST(1, n.count / 100.0))
                                   ELSE s.next_check_at END
         FROM endpoint e, (SELECT count(*) FROM endpoint WHERE website_id = $1) n
        WHERE e.id = s.endpoint_id AND e.website_id = $1`,
      [websiteId, on],
    );
  }

  /**
   * Deactivates a batch of endpoints of an organization or website that is being deleted. Returns true if there may be
   * more. Does not change their revisions.
   */
  async stopSome(sql: Sql, by: 'org_id' | 'website_id', id: string): Promise<boolean> {
    const rows = await sql.query(
      `UPDATE endpoint_schedule SET active = false WHERE endpoint_id IN (
         SELECT s.endpoint_id FROM endpoint e JOIN endpoint_schedule s ON s.endpoint_id = e.id
          WHERE e.${by} = $1 AND s.active LIMIT ${STOP_BATCH}) RETURNING 1`,
      [id],
    );
    return rows.length === STOP_BATCH;
  }

  /**
   * Gives back slots that this instance claimed but did not run. The first slot of each endpoint is due again at its
   * original time, or immediately if that has passed. Any sooner would be too close to the previous check. Slots that
   * other instances took over in the meantime are not changed, because they would be checked twice. Cost: one update
   * per row.
   */
  async giveBack(
    sql: Sql,
    instance: number,
    slots: readonly Pick<ClaimedSlot, 'endpointId' | 'slotMs'>[],
  ): Promise<void> {
    await sql.query(GIVE_BACK, [
      slots.map(({ endpointId }) => endpointId),
      slots.map(({ slotMs }) => slotMs),
      instance,
    ]);
  }

  /**
   * Lets other instances claim the next slot of endpoints whose check this instance has recorded. Endpoints that
   * another instance has claimed since, because of a takeover or an on-demand check, stay busy. Cost: one update per
   * row.
   */
  async release(sql: Sql, instance: number, endpointIds: readonly string[]): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule SET busy_until = NULL
        WHERE endpoint_id = ANY($1) AND claimed_by = $2 AND busy_until IS NOT NULL`,
      [endpointIds, instance],
    );
  }

  /**
   * Makes the slots that a dead instance claimed but did not record due immediately, and marks its endpoints as no
   * longer being checked. Returns the number of endpoints that are due.
   */
  async takeOver(sql: Sql, deadInstance: number): Promise<number> {
    const rows = await sql.query<{ due: boolean }>(TAKE_OVER, [deadInstance]);
    return rows.filter(({ due }) => due).length;
  }
}

interface ClaimBounds {
  notAfter?: Date | null;
  left?: readonly string[];
}

const boundsOf = ({ notAfter = null, left = [] }: ClaimBounds) => [notAfter ?? 'infinity', left];

type ClaimFacts = Pick<Claim, 'nowMs' | 'several'>;
type ClaimRow = ClaimedSlot & ClaimFacts;

async function claimed(sql: Sql, statement: string, parameters: readonly unknown[]): Promise<Claim> {
  const rows = await sql.query<ClaimRow | ({ endpointId: null } & ClaimFacts)>(statement, parameters);
  const [first] = rows;
  if (!first) throw new Error('the claim did not return the time');
  return {
    nowMs: first.nowMs,
    several: first.several,
    slots: rows.filter((row): row is ClaimRow => row.endpointId !== null),
  };
}

/**
 * Slots are multiples of this. Checks that start together share the wake-ups of the process, both when they start and
 * when equally fast targets respond. See docs/decisions/0007-slot-raster.md.
 */
const RASTER_MS = 20;

/**
 * Returns an endpoint's offset on its grid in milliseconds. It is hash(id) mod interval, which spreads the load evenly.
 */
export function phaseMs(endpointId: string, intervalSeconds: number): number {
  const offsets = (intervalSeconds * 1000) / RASTER_MS;
  return (createHash('sha256').update(endpointId).digest().readUInt32BE() % offsets) * RASTER_MS;
}

/**
 * Returns the endpoint's offset at one of its locations. The locations share the interval evenly: with three locations
 * and an interval of 60 s, one of them checks every 20 s.
 */
export function locationPhaseMs(
  endpointId: string,
  intervalSeconds: number,
  { turn, of }: { turn: number; of: number },
): number {
  const intervalMs = intervalSeconds * 1000;
  const apart = Math.floor((turn * intervalMs) / of / RASTER_MS) * RASTER_MS;
  return (phaseMs(endpointId, intervalSeconds) + apart) % intervalMs;
}

/** Returns the offset for checks that the service itself runs. */
function ownPhaseMs({ endpointId, intervalSeconds, locations }: Scheduled): number {
  const turn = Math.max(0, locations.indexOf(LOCAL_NAME));
  return locationPhaseMs(endpointId, intervalSeconds, { turn, of: locations.length });
}
