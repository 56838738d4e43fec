import { LOST_MS, silentAfterSql, votesNeededSql } from '../../endpoint/verdict';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { type FinishedCheck, type FinishedResult, LOCAL } from '../../engine/finished-check';
import { toMicroseconds } from '../../history/check-encoding';
import type { Tx } from '../../platform/database/database';
import { epochMs, timeAt } from '../../platform/database/epoch-ms';
import { RowsMoved } from '../../platform/database/postgres-errors';
import { type Columns, rowsOf } from '../../platform/database/rows-of';
import type { UnchangedUpRun } from './batch';
import type { Streaks } from './endpoint-state';
import { IS_IN_SERVICE, MAX_ADDRESS } from './location-store';
import { cut } from '../../platform/text/text-limits';

/** The streaks that grow with each success, and when they started. */
export type UnchangedUpStreaks = Pick<Streaks, 'successes' | 'goodStreak' | 'upSinceMs' | 'goodSinceMs'>;

export interface UnchangedUpSaved {
  /**
   * Endpoints that don't match their results (edited, paused, deleted, down, already recorded). Nothing was saved for
   * them.
   */
  readonly missed: ReadonlySet<string>;
  /** Endpoints with an open episode, with their streaks after the run. */
  readonly open: ReadonlyMap<string, UnchangedUpStreaks>;
}

interface UnchangedLocatedRow {
  /** The number of endpoints whose state was saved, or whose location was saved. */
  count: number;
  moved: number;
  /** The endpoints that were saved, or `null` if all were. */
  saved: string[] | null;
}

interface UnchangedUpRow {
  saved: string[] | null;
  open: string[] | null;
  successes: number[] | null;
  good: number[] | null;
  upSinceMs: (number | null)[] | null;
  goodSinceMs: (number | null)[] | null;
}

/**
 * Counts the successes of endpoints that were up and still are. Cost: one statement, which neither reads nor locks the
 * rows before it changes them.
 * The newest version of each row decides whether the run continues from it. If an edit commits during this statement,
 * it takes effect after the run, which only changes counts. The statement locks rows in any order, so it may deadlock
 * with another writer. Use a lock timeout that is shorter than the server's deadlock detection.
 */
export async function saveUnchangedUp(tx: Tx, runs: readonly UnchangedUpRun[]): Promise<UnchangedUpSaved> {
  const [row] = await tx.query<UnchangedUpRow>(SAVE_UNCHANGED_UP, RUNS.of(runs));
  const streaksAt = (index: number) => ({
    successes: row?.successes?.[index] ?? 0,
    goodStreak: row?.good?.[index] ?? 0,
    upSinceMs: row?.upSinceMs?.[index] ?? null,
    goodSinceMs: row?.goodSinceMs?.[index] ?? null,
  });
  return {
    missed: missedOf(runs, row?.saved ?? null),
    open: new Map(row?.open?.map((id, index) => [id, streaksAt(index)])),
  };
}

/**
 * Works like `saveUnchangedUp` for endpoints with locations, where each run comes from one location. The verdict
 * remains up as long as all voting locations are up, and the quorum's streaks are calculated from theirs. `nowMs` is
 * the database's clock, which decides whether a location is silent or lost.
 * Returns the endpoints where this doesn't hold, including endpoints with an open episode. Nothing was saved for them.
 * Throws an error that causes the transaction to be retried if another transaction interfered.
 */
export async function saveUnchangedLocated(
  tx: Tx,
  runs: readonly UnchangedUpRun[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const [row] = await tx.query<UnchangedLocatedRow>(SAVE_UNCHANGED_LOCATED, [
    ...LOCATED_RUNS.of(runs),
    nowMs,
  ]);
  if (row?.count !== row?.moved) throw new RowsMoved('A location was changed while its endpoint was saved.');
  return missedOf(runs, row?.saved ?? null);
}

const missedOf = (runs: readonly UnchangedUpRun[], saved: readonly string[] | null): ReadonlySet<string> => {
  if (saved === null) return new Set();
  const known = new Set(saved);
  return new Set(runs.flatMap(({ endpointId }) => (known.has(endpointId) ? [] : endpointId)));
};

const plannedIn = ({ results }: UnchangedUpRun): number => {
  let planned = 0;
  for (const { check } of results) if (check.planned) planned++;
  return planned;
};

/** The `last_…_us` columns and their phases. */
const PHASES = [
  ['dns', 'dnsMs'],
  ['connect', 'connectMs'],
  ['tls', 'tlsMs'],
  ['first_byte', 'firstByteMs'],
  ['transfer', 'transferMs'],
] as const;
export const SET_PHASES = PHASES.map(([column]) => `last_${column}_us = v.${column}`).join(', ');

/** When the certificate of the result expires, or `null` if it has none. */
export const certificateMs = ({ certificate }: FinishedResult): number | null =>
  certificate ? Date.parse(certificate.expiresAt) : null;

export const storedDuration = (ms: number | null): number | null => (ms === null ? null : toMicroseconds(ms));

const before = (outcome: string): string =>
  `CASE WHEN s.hour_start = ${timeAt('v.hour')} THEN s.before_${outcome}
        WHEN s.hour_start = ${timeAt('v.hour')} - interval '1 hour' THEN s.hour_${outcome} ELSE 0 END`;

const newest = (value: (check: FinishedCheck) => number | null) => {
  return ({ results }: UnchangedUpRun): number | null => {
    const last = results.at(-1);
    return last ? value(last.check) : null;
  };
};

/** The durations of the phases of the newest check, in microseconds. */
export const phaseColumns = <Item>(checkOf: (item: Item) => FinishedCheck | undefined): Columns<Item> =>
  Object.fromEntries(
    PHASES.map(([column, phase]) => [
      column,
      ['int', (item: Item) => toMicroseconds(checkOf(item)?.result.phases[phase] ?? null)] as const,
    ]),
  );

const RUNS = rowsOf<UnchangedUpRun>({
  id: ['uuid', ({ endpointId }) => endpointId],
  revision: ['int', ({ revision }) => revision],
  count: ['int', ({ results }) => results.length],
  planned: ['int', plannedIn],
  first_slot: ['float8', ({ firstSlotMs }) => firstSlotMs],
  last_slot: ['float8', ({ lastSlotMs }) => lastSlotMs],
  first_checked: ['float8', ({ firstCheckedMs }) => firstCheckedMs],
  last_checked: ['float8', ({ lastCheckedMs }) => lastCheckedMs],
  hour: ['float8', ({ hourMs }) => hourMs],
  duration: ['int', newest(({ result }) => storedDuration(result.durationMs))],
  ...phaseColumns(({ results }) => results.at(-1)?.check),
  status_code: ['int', newest(({ result }) => result.statusCode)],
  certificate: ['float8', newest(({ result }) => certificateMs(result))],
});

/** SQL assignments that apply the newest result of a run `v` to a state `s`, except for its streaks and times. */
const COUNTED = `last_duration_us = v.duration, ${SET_PHASES},
           last_status_code = v.status_code, last_error = NULL,
           recent_degraded = (s.recent_degraded << v.count) & ((1 << 30) - 1),
           recent = ((s.recent << (2 * v.count)) | (((1::bigint << (2 * v.count)) - 1) / 3)) & ((1::bigint << 60) - 1),
           hour_start = ${timeAt('v.hour')},
           hour_up = CASE WHEN s.hour_start = ${timeAt('v.hour')} THEN s.hour_up ELSE 0 END + v.count - v.planned,
           hour_down = CASE WHEN s.hour_start = ${timeAt('v.hour')} THEN s.hour_down ELSE 0 END,
           hour_unknown = CASE WHEN s.hour_start = ${timeAt('v.hour')} THEN s.hour_unknown ELSE 0 END,
           hour_planned = CASE WHEN s.hour_start = ${timeAt('v.hour')} THEN s.hour_planned ELSE 0 END + v.planned,
           hour_degraded = CASE WHEN s.hour_start = ${timeAt('v.hour')} THEN s.hour_degraded ELSE 0 END,
           before_up = ${before('up')}, before_down = ${before('down')}, before_unknown = ${before('unknown')},
           before_planned = ${before('planned')}, before_degraded = ${before('degraded')},
           certificate_expires_at = COALESCE(${timeAt('v.certificate')}, s.certificate_expires_at)`;

/** SQL condition: the endpoint was up and successful before, so another success only increases counts. */
const IS_WELL = `s.status = ${OUTCOME_CODE.up} AND s.consecutive_failures = 0 AND s.consecutive_successes > 0
       AND s.consecutive_bad = 0 AND s.consecutive_good BETWEEN 1 AND s.consecutive_successes AND s.degraded_since IS NULL
       AND s.failing_since IS NULL AND s.status_since IS NOT NULL AND s.hour_start <= ${timeAt('v.hour')}`;

// Implements the fold in endpoint-state.ts for one or more successes after a success, except for the hour before the
// newest, which a run never has. Cost: two index lookups and one heap-only update for each endpoint. The lookup of open
// alerts reads a small partial index once. `saved` isn't returned if all were saved, which is nearly always the case.
const SAVE_UNCHANGED_UP = `
  WITH saved AS (
    UPDATE endpoint_state s
       SET consecutive_successes = s.consecutive_successes + v.count, consecutive_good = s.consecutive_good + v.count,
           last_checked_at = ${timeAt('v.last_checked')},
           last_slot_at = ${timeAt('v.last_slot')}, ${COUNTED}
      FROM ${RUNS.as('v')}
      JOIN endpoint_schedule c ON c.endpoint_id = v.id AND c.active AND c.revision = v.revision AND NOT c.located
     WHERE s.endpoint_id = v.id AND ${IS_WELL} AND s.last_slot_at < ${timeAt('v.first_slot')}
       AND s.last_checked_at < ${timeAt('v.first_checked')}
    RETURNING s.endpoint_id AS id, s.consecutive_successes AS successes, s.consecutive_good AS good,
              ${epochMs('s.up_since')} AS up_since, ${epochMs('s.good_since')} AS good_since,
              EXISTS (SELECT FROM alert a WHERE a.endpoint_id = s.endpoint_id AND a.triggered) AS open
  )
  SELECT CASE WHEN count(*) < cardinality($1::uuid[]) THEN coalesce(array_agg(id::text), '{}') END AS saved,
         array_agg(id::text) FILTER (WHERE open) AS open, array_agg(successes) FILTER (WHERE open) AS successes,
         array_agg(good) FILTER (WHERE open) AS good,
         array_agg(up_since) FILTER (WHERE open) AS "upSinceMs", array_agg(good_since) FILTER (WHERE open) AS "goodSinceMs"
    FROM saved`;

const LOCATED_RUNS = rowsOf<UnchangedUpRun>({
  ...RUNS.columns,
  number: ['smallint', ({ location }) => location],
  nearest: ['float8', ({ nearestMs }) => (nearestMs === Infinity ? null : nearestMs)],
  address: ['text', ({ results }) => cut(results.at(-1)?.check.result.address ?? '', MAX_ADDRESS, '') || null],
});
const NOW = timeAt(`$${Object.keys(LOCATED_RUNS.columns).length + 1}::float8`);
/** SQL conditions for a location `l` of an endpoint `e` with schedule `c`, in a run `v`. */
const IS_OWN = 'l.number = v.number';
const HEARD = `${NOW} - ${silentAfterSql('c')}`;
const IS_PRESENT = `(e.location_count = 1 OR ${IS_IN_SERVICE}) AND (${IS_OWN} OR coalesce(l.last_known_at, l.assigned_at) >= ${HEARD} - interval '${LOST_MS} ms')`;
const IS_VOTING = `${IS_PRESENT} AND (${IS_OWN} OR (l.status IN (${OUTCOME_CODE.down}, ${OUTCOME_CODE.up}) AND l.last_checked_at >= ${HEARD}))`;

// Implements `foldLocated` in location-state.ts for the case that the quorum has two or more successes with the first
// result of the run. In this case, no result opens, closes, or resolves anything. If another transaction has changed a
// state since it was read, its ctid is different. Cost: the location lookups and two heap-only updates for each
// endpoint. The probe numbers are read once.
const SAVE_UNCHANGED_LOCATED = `
  WITH steady AS MATERIALIZED (
    SELECT v.*, s.ctid AS read_at, o.good, o.successes[q.nth] AS successes
      FROM ${LOCATED_RUNS.as('v')}
      JOIN endpoint_schedule c ON c.endpoint_id = v.id AND c.active AND c.revision = v.revision AND c.located
      JOIN endpoint e ON e.id = v.id
      JOIN endpoint_state s ON s.endpoint_id = v.id AND s.last_checked_at IS NOT NULL AND ${IS_WELL}
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE l.is_present) AS present, count(*) FILTER (WHERE l.is_voting) AS voting,
              min(l.good) FILTER (WHERE l.is_voting) AS good,
              array_agg(l.successes ORDER BY l.successes DESC) FILTER (WHERE l.is_voting) AS successes,
              count(*) FILTER (WHERE l.is_voting AND l.goes_on) AS going_on,
              bool_and(l.is_well) FILTER (WHERE l.is_voting) AND bool_or(l.is_own AND l.is_voting) AS is_well
         FROM (SELECT ${IS_OWN} AS is_own, ${IS_PRESENT} AS is_present, ${IS_VOTING} AS is_voting,
                      l.successes + CASE WHEN ${IS_OWN} THEN v.count ELSE 0 END AS successes,
                      l.good + CASE WHEN ${IS_OWN} THEN v.count ELSE 0 END AS good,
                      l.successes > 1 OR ${IS_OWN} AS goes_on,
                      l.status = ${OUTCOME_CODE.up} AND l.failures = 0 AND l.bad = 0 AND NOT l.degraded
                        AND l.successes > 0 AND l.good > 0 AND (NOT ${IS_OWN} OR (
                          l.status_since IS NOT NULL AND l.last_known_at IS NOT NULL AND l.last_slot_at < ${timeAt('v.first_slot')} AND l.last_checked_at < ${timeAt('v.first_checked')}
                          AND (v.number = ${LOCAL} OR LEAST(v.nearest, v.first_slot - ${epochMs('l.last_slot_at')}) >= 500 * c.interval_seconds))) AS is_well
                 FROM endpoint_location l WHERE l.endpoint_id = v.id OFFSET 0) l) o
     CROSS JOIN LATERAL (SELECT GREATEST(1, o.voting - ${votesNeededSql('e', 'o.present')} + 1)::int AS nth) q
     WHERE o.is_well AND o.going_on >= q.nth AND ${timeAt('v.first_checked')} >= ${HEARD}
       AND NOT EXISTS (SELECT FROM alert a WHERE a.endpoint_id = v.id AND a.triggered)
  ), saved AS (
    UPDATE endpoint_state s
       SET consecutive_successes = v.successes, consecutive_good = v.good,
           last_checked_at = GREATEST(s.last_checked_at, ${timeAt('v.last_checked')}),
           last_location = CASE WHEN s.last_checked_at < ${timeAt('v.last_checked')} THEN v.number END,
           last_slot_at = CASE WHEN v.number = ${LOCAL} THEN ${timeAt('v.last_slot')} ELSE s.last_slot_at END,
           ${COUNTED}
      FROM steady v
     WHERE s.endpoint_id = v.id AND s.ctid = v.read_at
    RETURNING v.id, v.number, v.count, v.first_slot, v.last_slot, v.first_checked, v.last_checked, v.duration, v.address
  ), moved AS (
    UPDATE endpoint_location l
       SET successes = l.successes + v.count, good = l.good + v.count, last_slot_at = ${timeAt('v.last_slot')},
           last_checked_at = ${timeAt('v.last_checked')}, last_known_at = GREATEST(l.last_known_at, ${timeAt('v.last_checked')}),
           last_error = NULL, last_message = NULL, last_address = v.address, last_duration_us = v.duration
      FROM saved v
     WHERE l.endpoint_id = v.id AND l.number = v.number AND l.status = ${OUTCOME_CODE.up} AND NOT l.degraded
       AND l.last_slot_at < ${timeAt('v.first_slot')} AND l.last_checked_at < ${timeAt('v.first_checked')}
    RETURNING 1
  )
  SELECT count(*)::int AS count, (SELECT count(*)::int FROM moved) AS moved,
         CASE WHEN count(*) < cardinality($1::uuid[]) THEN coalesce(array_agg(id::text), '{}') END AS saved
    FROM saved`;
