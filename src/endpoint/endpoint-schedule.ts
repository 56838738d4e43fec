import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ClaimedSlot } from '../engine/claimed-slot';
import type { Sql, Tx } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import { TransactionEvents } from '../platform/events/transaction-events';
import { LOCAL_NAME } from '../probe/probe-directory';
import { SuppressionEnded } from './endpoint-events';
import { isLocated } from './locations/locations';
import { OUTCOME_CODE } from './outcome-code';
import { type Coverable, covers, type MaintenanceScope } from './suppression/cover';

export interface Claim {
  slots: readonly ClaimedSlot[];
  /** The database's clock when the claim was made: the only time that scheduling trusts. */
  nowMs: number;
  /** Whether there is more than one organization. */
  several: boolean;
}

/** The part of an endpoint that the schedule keeps. */
export interface Scheduled {
  endpointId: string;
  orgId: string;
  intervalSeconds: number;
  timeoutSeconds: number;
  /** Endpoint and website are both enabled. */
  active: boolean;
  /** Instances claim it: its slots come from the clock. Otherwise it has none, and its results come from elsewhere. */
  scheduled: boolean;
  revision: number;
  locations: readonly string[];
}

/** Where the next slot of an endpoint stands that has none. */
const NO_SLOT = `timestamptz 'infinity'`;

// A check may be repeated once for confirmation: it may still be running this long after its slot.
const BUSY_SECONDS = '(2 * timeout_seconds + 5)';

/** The first grid point of an endpoint that is at least half an interval after `at`: phase + k * interval since the epoch. */
const nextSlot = (at: string, phaseMs: string, intervalSeconds: string): string => {
  const stride = `make_interval(secs => ${intervalSeconds})`;
  const origin = `(timestamptz 'epoch' + make_interval(secs => ${phaseMs} / 1000.0))`;
  return `date_bin(${stride}, ${at} + ${stride} / 2, ${origin}) + ${stride}`;
};

/** What makes an endpoint free for this instance's claim; `$3` is its number. */
const FREE = '(busy_until IS NULL OR busy_until <= GREATEST(next_check_at, now()) OR claimed_by = $3)';

/** In intervals: 1 from slot to slot of the grid, and between 0.5 and 1.5 from a moment beside it to its next slot. */
const DISTANCE = `(extract(epoch FROM s.next_check_at - due.next_check_at)::float8 / s.interval_seconds)`;

/** Whether there is a second organization. */
const SEVERAL = '(SELECT count(*) > 1 FROM (SELECT FROM organization LIMIT 2) AS o)';

// Claiming is one short statement on the narrow table, by database time: what has waited longest comes first, however late
// it is, and the endpoint's next slot is the first one that is not over. So an endpoint waits its turn once per interval,
// and under overload all of one interval lose the same share (docs/decisions/0019-overload.md). An endpoint that another
// instance may still be checking is skipped; this instance keeps checks of one endpoint apart in memory. A clock that is
// past $5 has jumped: nothing is claimed. The first two columns are there without slots, too. Cost: one index range scan over
// the due rows and one update of each (measured with PostgreSQL 15: docs/benchmarks.md).
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

/** A moment in the next min(interval, 30 s), at the same offset for an endpoint each time. */
const SOON = `now() + make_interval(secs => (phase_ms % (LEAST(interval_seconds, 30) * 1000)) / 1000.0)`;

// After downtime the newest slot is run once, spread over min(interval, 30 s); the slots before it are gaps, not failures.
// Cost: an index range scan over the rows due before $1, and one update of each.
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

// Under overload nothing waits for much longer than $1 seconds: when the load leaves there is no long backlog. Who was
// skipped $2 times in a row keeps waiting and is claimed next, and so is a new endpoint: all lose alike. Cost: an index
// range scan over the rows that are so late, and one update of each that is skipped; none while nothing is.
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

// Normally no slot is more than one and a half intervals ahead. Cost: an index range scan of all slots ahead; only run
// after the clock was set back.
const BRING_FORWARD = `
  UPDATE endpoint_schedule SET next_check_at = ${SOON}, busy_until = NULL
   WHERE active AND scheduled AND next_check_at > now() + make_interval(secs => 2 * interval_seconds + 10)`;

// Never more than an interval ahead: the database's clock may have been set back since the claim.
const GIVE_BACK = `
  UPDATE endpoint_schedule s
     SET next_check_at = CASE WHEN s.scheduled
                              THEN GREATEST(now(), LEAST(first.slot, now() + make_interval(secs => s.interval_seconds)))
                              ELSE s.next_check_at END,
         busy_until = NULL, claimed_by = NULL
    FROM (SELECT endpoint_id, to_timestamp(min(slot_ms) / 1000) AS slot
            FROM unnest($1::uuid[], $2::float8[]) AS u (endpoint_id, slot_ms) GROUP BY endpoint_id) first
   WHERE s.endpoint_id = first.endpoint_id AND s.claimed_by = $3`;

// What is taken over counts as recorded, so that its result is a duplicate if the instance is alive and brings it after all;
// the slot that is due instead is later. A result that is being recorded is waited for; what it claims meanwhile stays its own.
// Cost: a scan of the table twice, and of what it had claimed an update of each row, of state and location where not recorded.
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

/** Endpoints that one statement stops for good. */
const STOP_BATCH = 2000;

/** min(interval, 30 s) after maintenance that ended at `end`; after now, when that is over or the clock was set back. */
const AFTER = (end: string): string => {
  const span = 'make_interval(secs => LEAST(s.interval_seconds, 30))';
  return `CASE WHEN ${end} > now() OR now() > ${end} + ${span} THEN now() ELSE ${end} END`;
};
const LATER = `s.active AND s.scheduled AND s.next_check_at > ${AFTER('$2::timestamptz')} + make_interval(secs => LEAST(s.interval_seconds, 30))`;

// Cost: a probe of an index for each website of the organization, and some for each of its endpoints that are down.
const DOWN_AND_LATER = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM website w
    JOIN endpoint_state t ON t.website_id = w.id AND t.enabled AND t.status = ${OUTCOME_CODE.down}
    JOIN endpoint_schedule s ON s.endpoint_id = t.endpoint_id
    JOIN endpoint e ON e.id = t.endpoint_id
   WHERE w.org_id = $1 AND ${LATER}`;

// A row that somebody holds is left for the next call: it is about to be claimed, or changed. Cost: an update of each row.
const DUE_AFTER = `
  UPDATE endpoint_schedule d
     SET next_check_at = GREATEST(now(), ${AFTER('$2::timestamptz')} + make_interval(secs => (s.phase_ms % (LEAST(s.interval_seconds, 30) * 1000)) / 1000.0))
    FROM (SELECT * FROM endpoint_schedule s WHERE s.endpoint_id = ANY ($1::uuid[]) AND ${LATER} FOR UPDATE SKIP LOCKED) s
   WHERE d.endpoint_id = s.endpoint_id RETURNING 1`;

// Not what is being checked, or was a moment ago. Cost: a look into an index and an update of each row.
const DUE_NOW = `
  UPDATE endpoint_schedule s SET next_check_at = now()
   WHERE s.endpoint_id = ANY ($1::uuid[]) AND s.active AND s.scheduled AND s.next_check_at > now() AND s.busy_until IS NULL
     AND NOT EXISTS (SELECT FROM endpoint_location l WHERE l.endpoint_id = s.endpoint_id AND l.number = 0
                        AND l.last_checked_at > now() - make_interval(secs => LEAST(s.interval_seconds, 30)))`;

/** Endpoints that one call of `dueAfter` moves. */
const DUE_BATCH = 2000;

/** The only SQL that moves `next_check_at`. Stateless: the caller passes the connection or the transaction. */
@Injectable()
export class EndpointSchedule {
  constructor(private readonly events: TransactionEvents) {}

  /**
   * Claims at most `limit` slots that fall due within `aheadSeconds`, those first that have waited longest; none of
   * organizations in `without` nor of endpoints in `left`, and none at all when the database's clock is past `notAfter`.
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

  /** Claims slots of one organization only, otherwise as `claim` does. */
  claimOfOne(
    sql: Sql,
    instance: number,
    limit: number,
    aheadSeconds: number,
    { orgId, ...bounds }: { orgId: string } & ClaimBounds,
  ): Promise<Claim> {
    return claimed(sql, CLAIM_OF_ONE, [aheadSeconds, limit, instance, orgId, ...boundsOf(bounds)]);
  }

  /** Moves slots that fell due before `before` into the next seconds, for at most 5,000 endpoints. Returns the numbers of endpoints and of missed slots. */
  async spreadOverdue(sql: Sql, before: Date): Promise<{ endpoints: number; slots: number }> {
    const [row] = await sql.query<{ endpoints: number; slots: number }>(SPREAD_OVERDUE, [before]);
    return row ?? { endpoints: 0, slots: 0 };
  }

  /**
   * Skips slots that are more than `lateSeconds` late, at most 5,000, of endpoints of which fewer than `inARow` were skipped
   * since their newest claim; returns how many slots that were.
   */
  async skipLate(sql: Sql, lateSeconds: number, inARow: number): Promise<number> {
    const [row] = await sql.query<{ slots: number }>(SKIP_LATE, [lateSeconds, inARow]);
    return row?.slots ?? 0;
  }

  /**
   * Maintenance ended at `end`: what it covered and is down is due within min(interval, 30 s) of that, at most 2,000 endpoints
   * in a call. `moved`: how many were; `left`: how many more are to be, some perhaps because their row was held. When none is
   * left, whoever gives results to what has no slots is told.
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

  /** Another location sees these endpoints down: they are due, unless they were checked here within min(interval, 30 s). */
  async dueNow(sql: Sql, endpointIds: readonly string[]): Promise<void> {
    await sql.query(DUE_NOW, [endpointIds]);
  }

  /** After the database's clock was set back: slots planned by the old time become due within min(interval, 30 s). */
  async bringForward(sql: Sql): Promise<void> {
    await sql.query(BRING_FORWARD);
  }

  /** New endpoints: due at once, then on their grid, those that are scheduled. One statement. */
  async add(sql: Sql, rows: readonly Scheduled[]): Promise<void> {
    await sql.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, scheduled, located, next_check_at)
       SELECT *, CASE WHEN r.scheduled THEN now() ELSE ${NO_SLOT} END
         FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::boolean[], $7::integer[], $8::boolean[], $9::boolean[])
           AS r (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, scheduled, located)`,
      [
        rows.map(({ endpointId }) => endpointId),
        rows.map(({ orgId }) => orgId),
        rows.map(({ intervalSeconds }) => intervalSeconds),
        rows.map(({ timeoutSeconds }) => timeoutSeconds),
        rows.map(ownPhaseMs),
        rows.map(({ active }) => active),
        rows.map(({ revision }) => revision),
        rows.map(({ scheduled }) => scheduled),
        rows.map(({ locations }) => isLocated(locations)),
      ],
    );
  }

  /** A changed endpoint. `dueAtOnce` when its check has changed or it was enabled; otherwise its next slot on the new grid. */
  async change(sql: Sql, row: Scheduled, dueAtOnce: boolean): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule SET interval_seconds = $2, timeout_seconds = $3, phase_ms = $4, active = $5, revision = $6, scheduled = $8, located = $9,
              next_check_at = CASE WHEN NOT $8 THEN ${NO_SLOT} WHEN $7 THEN now() ELSE LEAST(next_check_at, ${nextSlot('now()', '$4::integer', '$2::integer')}) END
        WHERE endpoint_id = $1`,
      [
        row.endpointId,
        row.intervalSeconds,
        row.timeoutSeconds,
        ownPhaseMs(row),
        row.active,
        row.revision,
        dueAtOnce,
        row.scheduled,
        isLocated(row.locations),
      ],
    );
  }

  /** Schedules several changed endpoints, in one statement. */
  async changeSome(sql: Sql, rows: readonly (Scheduled & { isDueAtOnce: boolean })[]): Promise<void> {
    if (rows.length === 0) return;
    await sql.query(
      `UPDATE endpoint_schedule s
          SET interval_seconds = r.interval_seconds, timeout_seconds = r.timeout_seconds, phase_ms = r.phase_ms, active = r.active,
              revision = r.revision, scheduled = r.scheduled, located = r.located,
              next_check_at = CASE WHEN NOT r.scheduled THEN ${NO_SLOT} WHEN r.at_once THEN now() ELSE LEAST(s.next_check_at, ${nextSlot('now()', 'r.phase_ms', 'r.interval_seconds')}) END
         FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::boolean[], $6::int[], $7::boolean[], $8::boolean[], $9::boolean[])
           AS r (endpoint_id, interval_seconds, timeout_seconds, phase_ms, active, revision, at_once, scheduled, located)
        WHERE s.endpoint_id = r.endpoint_id`,
      [
        rows.map(({ endpointId }) => endpointId),
        rows.map(({ intervalSeconds }) => intervalSeconds),
        rows.map(({ timeoutSeconds }) => timeoutSeconds),
        rows.map(ownPhaseMs),
        rows.map(({ active }) => active),
        rows.map(({ revision }) => revision),
        rows.map(({ isDueAtOnce }) => isDueAtOnce),
        rows.map(({ scheduled }) => scheduled),
        rows.map(({ locations }) => isLocated(locations)),
      ],
    );
  }

  /** Enables or disables all endpoints of a website with it; enabled ones are due at once, spread over min(interval, 30 s). */
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

  /**
   * Returns slots that this instance claimed and did not run: the first of each endpoint is due again at its time, or at once
   * when that is past. Sooner it would follow the check before it too closely. What it has no more, because others took it for
   * dead meanwhile, is theirs: made due again it would be checked twice. Cost: an update of each row.
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
   * Lets other instances claim the next slot of endpoints whose check this instance has recorded. What others have claimed
   * since, because they took it for dead or a client asked for the check, they are still checking. Cost: an update of each row.
   */
  async release(sql: Sql, instance: number, endpointIds: readonly string[]): Promise<void> {
    await sql.query(
      `UPDATE endpoint_schedule SET busy_until = NULL
        WHERE endpoint_id = ANY($1) AND claimed_by = $2 AND busy_until IS NOT NULL`,
      [endpointIds, instance],
    );
  }

  /**
   * Slots that a dead instance had claimed and not recorded are due at once, and its endpoints are no longer marked as
   * being checked. Returns how many endpoints are due.
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
 * Slots are multiples of this. Checks that begin together share the process's wake-ups, for their starts and for the
 * responses of targets that are equally fast: docs/decisions/0007-slot-raster.md.
 */
const RASTER_MS = 20;

/** An endpoint's offset on its grid in milliseconds: hash(id) mod interval, so that load is even. */
export function phaseMs(endpointId: string, intervalSeconds: number): number {
  const offsets = (intervalSeconds * 1000) / RASTER_MS;
  return (createHash('sha256').update(endpointId).digest().readUInt32BE() % offsets) * RASTER_MS;
}

/** Its offset at one of its locations, by their turn: they share the interval evenly, so that three of one at 60 s look every 20 s. */
export function locationPhaseMs(
  endpointId: string,
  intervalSeconds: number,
  { turn, of }: { turn: number; of: number },
): number {
  const intervalMs = intervalSeconds * 1000;
  const apart = Math.floor((turn * intervalMs) / of / RASTER_MS) * RASTER_MS;
  return (phaseMs(endpointId, intervalSeconds) + apart) % intervalMs;
}

/** The offset of what the instances of the service check. */
function ownPhaseMs({ endpointId, intervalSeconds, locations }: Scheduled): number {
  const turn = Math.max(0, locations.indexOf(LOCAL_NAME));
  return locationPhaseMs(endpointId, intervalSeconds, { turn, of: locations.length });
}
