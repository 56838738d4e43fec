import { Injectable } from '@nestjs/common';
import { ERROR_CODES } from '../../checker/checker';
import { EndpointSchedule } from '../../endpoint/endpoint-schedule';
import { BoundedMap } from '../../platform/cache/bounded-map';
import type { Sql, Tx } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { epochMs, timeAt } from '../../platform/database/epoch-ms';
import type { MarkedCounts } from '../../history/hour-counters';
import { rowsOf } from '../../platform/database/rows-of';
import { type FinishedCheck, LOCAL } from '../../engine/finished-check';
import { InstanceRegistry } from '../instance-registry';
import type { EndpointState } from './endpoint-state';
import type { UnchangedUpRun } from './batch';
import {
  certificateMs,
  phaseColumns,
  saveUnchangedLocated,
  saveUnchangedUp,
  SET_PHASES,
  storedDuration,
  type UnchangedUpSaved,
} from './unchanged-up';
import type { Located, LocatedCheck } from './location-state';
import { forgetFuture, readLocations } from './location-store';

/** If an endpoint was evicted, it is detected again and its results are written a moment later. */
const MAX_LOCATED = 100_000;

/** The current settings of an endpoint that decide whether a result still counts. */
interface CurrentSettings {
  active: boolean;
  revision: number;
  located: boolean;
}

interface StateRow extends Omit<EndpointState, 'recent' | 'hours'> {
  id: string;
  recent: string;
  hourStartMs: number | null;
  up: number;
  down: number;
  unknown: number;
  planned: number;
  degraded: number;
  beforeUp: number;
  beforeDown: number;
  beforeUnknown: number;
  beforePlanned: number;
  beforeDegraded: number;
}

/** A locked state, with the settings that decide whether results for it count. */
export interface LockedState extends Omit<CurrentSettings, 'located'> {
  state: EndpointState;
  /** Absent for an endpoint that is only checked by instances of the service. */
  locations?: Located | undefined;
}

export interface FoldedCheck {
  state: EndpointState;
  check: FinishedCheck;
  /** The check before it got the marks of its location. */
  original: FinishedCheck;
  /** Present for an endpoint with locations. */
  located?: LocatedCheck;
}

/** Reads and writes `endpoint_state` for the recorder, one batch at a time. */
@Injectable()
export class EndpointStateStore {
  /** Endpoints that had locations when they were last read. */
  readonly located = new BoundedMap<string, true>(MAX_LOCATED);

  constructor(
    private readonly schedule: EndpointSchedule,
    private readonly instances: InstanceRegistry,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Locks and reads states, in ID order like every other writer of these rows, to prevent deadlocks. A separate
   * statement then reads the current settings. If both were one statement, it would return the settings from before the
   * wait for a lock. Cost: two statements, or three if an endpoint has locations.
   */
  async lock(tx: Tx, checks: readonly FinishedCheck[]): Promise<Map<string, LockedState>> {
    const ids = `{${[...new Set(checks.map(({ endpointId }) => endpointId))].join(',')}}`;
    const rows = await tx.query<StateRow>(LOCK_STATES, [ids]);
    const current = new Map(
      (await tx.query<CurrentSettings & { id: string }>(READ_CURRENT, [ids])).map((row) => [row.id, row]),
    );
    const withLocations = this.locatedOf(current.values());
    const located =
      withLocations.length > 0 ? await readLocations(tx, withLocations, this.clock.now().getTime()) : null;
    return new Map(
      rows.flatMap((row) => {
        const now = current.get(row.id);
        if (!now) return [];
        const { active, revision } = now;
        return [[row.id, { state: stateOf(row), active, revision, locations: located?.get(row.id) }] as const];
      }),
    );
  }

  private locatedOf(rows: Iterable<CurrentSettings & { id: string }>): string[] {
    const ids: string[] = [];
    for (const { id, located } of rows) {
      if (located) {
        ids.push(id);
        this.located.set(id, true);
      } else if (this.located.size > 0) this.located.delete(id);
    }
    return ids;
  }

  /**
   * Returns the endpoints whose state or alerts are currently locked by another transaction. Doesn't wait for locks.
   */
  async lockedByOthers(sql: Sql, endpointIds: readonly string[]): Promise<Set<string>> {
    const rows = await sql.query<{ id: string }>(FIND_LOCKED, [endpointIds]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Resets slots in the future after the database's clock was set back. Otherwise, slots at the new time would be
   * treated as duplicates.
   */
  async forgetFuture(tx: Tx): Promise<void> {
    await tx.query(FORGET_FUTURE);
    await forgetFuture(tx);
  }

  /**
   * Saves the newest state of each endpoint. Cost: one heap-only update each, because no index covers a column that
   * changes.
   */
  async save(tx: Tx, folded: ReadonlyMap<string, readonly FoldedCheck[]>): Promise<void> {
    const newest = [...folded].flatMap(([id, list]) => {
      const last = list.findLast(({ located }) => located?.verdict !== null);
      return last ? [{ id, ...last }] : [];
    });
    if (newest.length > 0) await tx.query(SAVE_STATES, STATES.of(newest));
    // A probe's result doesn't finish a check that runs here.
    const checkedHere = [...folded].filter(([, list]) => list.some(({ check }) => check.location === LOCAL));
    await this.release(
      tx,
      checkedHere.map(([id]) => id),
    );
  }

  /** Works like the function `saveUnchangedUp`, and also releases the claims. */
  async saveUnchangedUp(tx: Tx, runs: readonly UnchangedUpRun[]): Promise<UnchangedUpSaved> {
    const saved = await saveUnchangedUp(tx, runs);
    await this.release(
      tx,
      runs.map(({ endpointId }) => endpointId),
    );
    return saved;
  }

  /**
   * Works like the function `saveUnchangedLocated`, and also releases the claims on endpoints that were checked
   * here.
   */
  async saveUnchangedLocated(tx: Tx, runs: readonly UnchangedUpRun[]): Promise<ReadonlySet<string>> {
    const missed = await saveUnchangedLocated(tx, runs, this.clock.now().getTime());
    await this.release(
      tx,
      runs.flatMap(({ endpointId, location }) => (location === LOCAL ? endpointId : [])),
    );
    return missed;
  }

  /** A single instance prevents overlapping checks of an endpoint in memory. Only other instances read `busy_until`. */
  private async release(tx: Tx, endpointIds: readonly string[]): Promise<void> {
    if (endpointIds.length === 0) return;
    const { id, isShared } = this.instances;
    if (id !== null && isShared) await this.schedule.release(tx, id, endpointIds);
  }
}

function errorCodeOf({ check, located }: FoldedCheck): number | null {
  const { error } = located ? located.told : check.result;
  return error ? ERROR_CODES.indexOf(error.code) : null;
}

const LOCK_STATES = `
  SELECT s.endpoint_id AS id, s.status, ${epochMs('s.status_since')} AS "statusSinceMs", s.consecutive_failures AS failures,
         s.consecutive_successes AS successes, s.consecutive_bad AS "badStreak", s.consecutive_good AS "goodStreak",
         ${epochMs('s.failing_since')} AS "failingSinceMs", s.failing_planned AS "failingPlanned",
         ${epochMs('s.failing_unmuted_since')} AS "failingUnmutedSinceMs", ${epochMs('s.bad_unmuted_since')} AS "badUnmutedSinceMs",
         ${epochMs('s.up_since')} AS "upSinceMs", ${epochMs('s.good_since')} AS "goodSinceMs",
         ${epochMs('s.degraded_since')} AS "degradedSinceMs", ${epochMs('s.last_checked_at')} AS "lastCheckedMs",
         ${epochMs('s.last_slot_at')} AS "lastSlotMs", s.recent::text AS recent, s.recent_degraded AS "recentDegraded",
         ${epochMs('s.hour_start')} AS "hourStartMs", s.hour_up AS up, s.hour_down AS down, s.hour_unknown AS unknown,
         s.hour_planned AS planned, s.hour_degraded AS degraded,
         s.before_up AS "beforeUp", s.before_down AS "beforeDown", s.before_unknown AS "beforeUnknown",
         s.before_planned AS "beforePlanned", s.before_degraded AS "beforeDegraded"
    FROM endpoint_state s WHERE s.endpoint_id = ANY ($1::uuid[]) ORDER BY s.endpoint_id FOR UPDATE`;

const FIND_LOCKED = `
  WITH free_state AS MATERIALIZED (SELECT endpoint_id FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED),
       free_alert AS MATERIALIZED (SELECT id FROM alert WHERE endpoint_id = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED)
  SELECT s.endpoint_id AS id FROM endpoint_state s
   WHERE s.endpoint_id = ANY ($1::uuid[])
     AND (NOT EXISTS (SELECT FROM free_state f WHERE f.endpoint_id = s.endpoint_id)
       OR EXISTS (SELECT FROM alert a WHERE a.endpoint_id = s.endpoint_id AND NOT EXISTS (SELECT FROM free_alert f WHERE f.id = a.id)))`;

// Skips heartbeats, because each verdict is later than the previous one, regardless of the clock. Cost: one index
// lookup for each row found.
const FORGET_FUTURE = `
  UPDATE endpoint_state s SET last_slot_at = NULL, last_checked_at = LEAST(last_checked_at, now() - interval '2 ms')
   WHERE last_slot_at > now() + interval '10 seconds'
     AND NOT EXISTS (SELECT FROM heartbeat h WHERE h.endpoint_id = s.endpoint_id)`;

const READ_CURRENT = `SELECT endpoint_id AS id, active, revision, located FROM endpoint_schedule WHERE endpoint_id = ANY ($1::uuid[])`;

const count = (part: 'hour' | 'before', outcome: keyof MarkedCounts) => {
  return ({ state }: FoldedCheck): number => state.hours[part][outcome];
};

const STATES = rowsOf<{ id: string } & FoldedCheck>({
  id: ['uuid', ({ id }) => id],
  status: ['smallint', ({ state }) => state.status],
  status_since: ['float8', ({ state }) => state.statusSinceMs],
  failures: ['int', ({ state }) => state.failures],
  successes: ['int', ({ state }) => state.successes],
  bad: ['int', ({ state }) => state.badStreak],
  good: ['int', ({ state }) => state.goodStreak],
  failing_since: ['float8', ({ state }) => state.failingSinceMs],
  failing_planned: ['boolean', ({ state }) => state.failingPlanned],
  failing_unmuted_since: ['float8', ({ state }) => state.failingUnmutedSinceMs],
  bad_unmuted_since: ['float8', ({ state }) => state.badUnmutedSinceMs],
  degraded_since: ['float8', ({ state }) => state.degradedSinceMs],
  last_checked: ['float8', ({ state }) => state.lastCheckedMs],
  last_slot: ['float8', ({ state }) => state.lastSlotMs],
  duration: ['int', ({ check }) => storedDuration(check.result.durationMs)],
  ...phaseColumns<FoldedCheck>(({ check }) => check),
  status_code: ['int', ({ check, located }) => (located ? located.told : check.result).statusCode],
  error: ['smallint', errorCodeOf],
  recent: ['bigint', ({ state }) => state.recent],
  recent_degraded: ['int', ({ state }) => state.recentDegraded],
  hour_start: ['float8', ({ state }) => state.hours.hourStart?.getTime()],
  hour_up: ['int', count('hour', 'up')],
  hour_down: ['int', count('hour', 'down')],
  hour_unknown: ['int', count('hour', 'unknown')],
  hour_planned: ['int', count('hour', 'planned')],
  hour_degraded: ['int', count('hour', 'degraded')],
  before_up: ['int', count('before', 'up')],
  before_down: ['int', count('before', 'down')],
  before_unknown: ['int', count('before', 'unknown')],
  before_planned: ['int', count('before', 'planned')],
  before_degraded: ['int', count('before', 'degraded')],
  certificate: ['float8', ({ check }) => certificateMs(check.result)],
  up_since: ['float8', ({ state }) => state.upSinceMs],
  good_since: ['float8', ({ state }) => state.goodSinceMs],
  location: ['smallint', ({ located }) => located?.newest],
});

const SAVE_STATES = `
  UPDATE endpoint_state s
     SET status = v.status, status_since = ${timeAt('v.status_since')}, consecutive_failures = v.failures, consecutive_successes = v.successes,
         consecutive_bad = v.bad, consecutive_good = v.good, failing_since = ${timeAt('v.failing_since')}, failing_planned = v.failing_planned,
         failing_unmuted_since = ${timeAt('v.failing_unmuted_since')}, bad_unmuted_since = ${timeAt('v.bad_unmuted_since')},
         degraded_since = ${timeAt('v.degraded_since')}, last_checked_at = ${timeAt('v.last_checked')}, last_slot_at = ${timeAt('v.last_slot')},
         last_duration_us = v.duration, ${SET_PHASES},
         last_status_code = v.status_code, last_error = v.error, recent = v.recent,
         recent_degraded = v.recent_degraded,
         hour_start = ${timeAt('v.hour_start')}, hour_up = v.hour_up, hour_down = v.hour_down, hour_unknown = v.hour_unknown,
         hour_planned = v.hour_planned, hour_degraded = v.hour_degraded,
         before_up = v.before_up, before_down = v.before_down, before_unknown = v.before_unknown,
         before_planned = v.before_planned, before_degraded = v.before_degraded,
         certificate_expires_at = COALESCE(${timeAt('v.certificate')}, s.certificate_expires_at),
         up_since = ${timeAt('v.up_since')}, good_since = ${timeAt('v.good_since')}, last_location = v.location
    FROM ${STATES.as('v')}
   WHERE s.endpoint_id = v.id`;

// Assigns each field instead of copying the row, because each batch holds hundreds of states in memory.
const stateOf = (row: StateRow): EndpointState => ({
  status: row.status,
  statusSinceMs: row.statusSinceMs,
  failures: row.failures,
  successes: row.successes,
  badStreak: row.badStreak,
  goodStreak: row.goodStreak,
  failingSinceMs: row.failingSinceMs,
  failingPlanned: row.failingPlanned,
  failingUnmutedSinceMs: row.failingUnmutedSinceMs,
  badUnmutedSinceMs: row.badUnmutedSinceMs,
  upSinceMs: row.upSinceMs,
  goodSinceMs: row.goodSinceMs,
  degradedSinceMs: row.degradedSinceMs,
  lastCheckedMs: row.lastCheckedMs,
  lastSlotMs: row.lastSlotMs,
  recent: BigInt(row.recent),
  recentDegraded: row.recentDegraded,
  hours: {
    hourStart: row.hourStartMs === null ? null : new Date(row.hourStartMs),
    hour: { up: row.up, down: row.down, unknown: row.unknown, planned: row.planned, degraded: row.degraded },
    before: {
      up: row.beforeUp,
      down: row.beforeDown,
      unknown: row.beforeUnknown,
      planned: row.beforePlanned,
      degraded: row.beforeDegraded,
    },
  },
});
