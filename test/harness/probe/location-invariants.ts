import type { Outcome } from '../../../src/checker/checker';
import { outcomeOf } from '../../../src/endpoint/outcome-code';
import {
  LOST_MS,
  type LocationState,
  silentAfterMs,
  type Verdict,
  type VerdictRule,
  verdictOf,
} from '../../../src/endpoint/verdict';
import { LOCAL, NO_LOCATION } from '../../../src/engine/finished-check';
import { countedOf, ownOf } from '../../../src/history/check-encoding';
import { streaksAfter } from '../../../src/monitoring/record/endpoint-state';
import { readLocations } from '../../../src/monitoring/record/location-store';
import type { StoredLocation } from '../../../src/monitoring/record/location-state';
import type { Sql } from '../../../src/platform/database/database';
import { epochMs } from '../../../src/platform/database/epoch-ms';
import { failOn, findAll, type Violation } from '../app/invariants';
import { NEW_STATE } from '../new-state';

/** Additional tables used by the test, because history doesn't show when and in which order checks were recorded. */
const WATCH = [
  `CREATE TABLE recorded_check (seq bigserial PRIMARY KEY, txid bigint NOT NULL, recorded_at timestamptz NOT NULL,
     endpoint_key bigint NOT NULL, location smallint NOT NULL, checked_at timestamptz NOT NULL, outcome smallint NOT NULL)`,
  'CREATE INDEX recorded_check_of_transaction ON recorded_check (txid)',
  `CREATE FUNCTION note_recorded_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO recorded_check (txid, recorded_at, endpoint_key, location, checked_at, outcome)
     VALUES (txid_current(), clock_timestamp(), NEW.endpoint_key, NEW.location, NEW.checked_at, NEW.outcome);
     RETURN NULL;
   END $$`,
  'CREATE TRIGGER note_recorded_check AFTER INSERT ON check_result FOR EACH ROW EXECUTE FUNCTION note_recorded_check()',
  `CREATE TABLE recorded_slot (txid bigint NOT NULL, endpoint_id uuid NOT NULL, number smallint NOT NULL,
     before timestamptz, after timestamptz)`,
  `CREATE FUNCTION note_recorded_slot() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO recorded_slot VALUES (txid_current(), NEW.endpoint_id, NEW.number, OLD.last_slot_at, NEW.last_slot_at);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER note_recorded_slot AFTER UPDATE OF last_slot_at ON endpoint_location FOR EACH ROW
     WHEN (NEW.number > ${LOCAL} AND NEW.last_slot_at IS NOT NULL) EXECUTE FUNCTION note_recorded_slot()`,
  `CREATE TABLE given_ask (endpoint_id uuid NOT NULL, number smallint NOT NULL, taken_at timestamptz NOT NULL, expires_at timestamptz NOT NULL)`,
  `CREATE FUNCTION note_given_ask() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO given_ask VALUES (NEW.endpoint_id, NEW.number, NEW.taken_at, NEW.expires_at);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER note_given_ask AFTER UPDATE OF taken_at ON probe_ask FOR EACH ROW
     WHEN (NEW.endpoint_id IS NOT NULL AND NEW.taken_at IS NOT NULL) EXECUTE FUNCTION note_given_ask()`,
];

/**
 * Sets the database up to record data for `checkLocations`. Call this once per database, before the first check.
 */
export async function watchLocations(sql: Sql): Promise<void> {
  for (const statement of WATCH) await sql.query(statement);
}

/** Check `r` on endpoint `e` may have been run on demand. In that case, it belongs to no slot. */
const ASKED = `EXISTS (SELECT FROM given_ask a WHERE a.endpoint_id = e.id AND a.number = r.location
     AND r.checked_at BETWEEN a.taken_at - interval '1 second' AND a.expires_at + interval '1 second')`;

const SLOTS: readonly [what: string, sql: string][] = [
  [
    'a check of a location that is in the history twice',
    `SELECT endpoint_key || ' from ' || location || ' at ' || checked_at AS id
       FROM check_result GROUP BY endpoint_key, location, checked_at HAVING count(*) > 1`,
  ],
  [
    // A batch contains at most one check per location for each slot since the last one, or for half a slot if the grid
    // moved.
    'a slot of a location that was recorded twice',
    `SELECT s.endpoint_id || ' from ' || s.number || ' of slots ' || s.before || ' to ' || s.after || ', checked at ' || batch.times AS id
       FROM recorded_slot s JOIN endpoint e ON e.id = s.endpoint_id JOIN endpoint_schedule c ON c.endpoint_id = e.id
       CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE NOT ${ASKED}) AS count, string_agg(r.checked_at::text, ', ' ORDER BY r.seq) AS times
           FROM recorded_check r WHERE r.txid = s.txid AND r.endpoint_key = e.key AND r.location = s.number) batch
      WHERE s.before IS NOT NULL AND ceil(extract(epoch FROM s.after - s.before) / c.interval_seconds - 0.05) < batch.count`,
  ],
  [
    'a check of a location that was recorded before an earlier one',
    `SELECT id || ' from ' || location || ' at ' || checked_at AS id
       FROM (SELECT e.id, r.location, r.checked_at, lag(r.checked_at) OVER recorded AS before
               FROM recorded_check r JOIN endpoint e ON e.key = r.endpoint_key WHERE r.location > ${LOCAL} AND NOT ${ASKED}
             WINDOW recorded AS (PARTITION BY r.endpoint_key, r.location ORDER BY r.seq)) c
      WHERE before > checked_at`,
  ],
];

interface Recorded {
  location: number;
  outcome: number;
  checkedMs: number;
  recordedMs: number;
}

type IsJudged = (name: string, recordedMs: number) => boolean;

/** An endpoint's stored state and its known locations. */
interface Stored {
  id: string;
  name: string;
  key: string;
  status: number;
  failures: number;
  successes: number;
}

const ENDPOINTS = `
  SELECT e.id, e.name, e.key::text AS key, s.status, s.consecutive_failures AS failures, s.consecutive_successes AS successes
    FROM endpoint e JOIN endpoint_state s ON s.endpoint_id = e.id JOIN endpoint_schedule c ON c.endpoint_id = e.id
   WHERE c.active AND c.located`;

const RECORDED = `
  SELECT location, outcome, ${epochMs('checked_at')} AS "checkedMs", ${epochMs('recorded_at')} AS "recordedMs"
    FROM recorded_check WHERE endpoint_key = $1 ORDER BY seq`;

/**
 * Returns violations in slots and verdicts. The database must have been watched by `watchLocations` since the first
 * check, and no batch may be in progress. Only endpoints whose interval, timeout, and quorum never changed are covered.
 * It finds:
 *
 * - a location's slot that was recorded twice
 * - a location's checks in the wrong order
 * - a verdict that differs from `verdictOf` for the results recorded until then
 * - a stored state that isn't the last verdict
 *
 * Verdicts are evaluated starting from the most recent change to an endpoint's locations, while all of its probes are
 * enabled. `isJudged` must also return true for the endpoint's name and the time.
 */
export async function findLocationViolations(sql: Sql, isJudged: IsJudged = () => true): Promise<Violation[]> {
  const wrong = await findAll(sql, SLOTS);
  const stored = await sql.query<Stored>(ENDPOINTS);
  const located = await readLocations(
    sql,
    stored.map(({ id }) => id),
    Date.now(),
  );
  const verdicts: string[] = [];
  for (const endpoint of stored) {
    const { rule, locations } = located.get(endpoint.id) ?? { rule: null, locations: [] };
    if (rule === null || locations.some(({ isOut }) => isOut)) continue;
    const recorded = await sql.query<Recorded>(RECORDED, [endpoint.key]);
    verdicts.push(...wrongVerdicts(endpoint, rule, locations, recorded, isJudged));
  }
  if (verdicts.length > 0) wrong.push({ what: 'a verdict that is not that of the results', ids: verdicts.slice(0, 5) });
  return wrong;
}

/** Fails with everything that `findLocationViolations` finds. */
export const checkLocations = async (sql: Sql): Promise<void> => failOn(await findLocationViolations(sql));

/** A batch is decided some time before its rows are written, and clock readings aren't exact. */
const DECIDED_BEFORE_MS = 10_000;
const DECIDED_AFTER_MS = 1000;

const BLANK = { status: null, degraded: false, failures: 0, successes: 0, badStreak: 0, goodStreak: 0 } as const;

function wrongVerdicts(
  endpoint: Stored,
  rule: VerdictRule,
  stored: readonly StoredLocation[],
  recorded: readonly Recorded[],
  isJudged: IsJudged,
): string[] {
  const wrong: string[] = [];
  const fromMs = Math.max(...stored.map(({ assignedMs }) => assignedMs));
  let locations: readonly (LocationState & { number: number })[] = stored.map(({ number, assignedMs }) => ({
    ...BLANK,
    number,
    assignedMs,
    lastCheckedMs: null,
    lastKnownMs: null,
    isOut: false,
  }));
  const isOnly = stored.length === 1;
  let last: { counted: Outcome; decided: Verdict[] } | null = null;
  for (const { location, outcome, checkedMs, recordedMs } of recorded) {
    const own = ownOf(outcome);
    locations = locations.map((one) =>
      one.number === location && recordedMs >= one.assignedMs ? afterResult(one, own, checkedMs) : one,
    );
    if (recordedMs < fromMs || !isJudged(endpoint.name, recordedMs)) {
      last = null;
      continue;
    }
    const name = `${endpoint.id} from ${location} at ${new Date(checkedMs).toISOString()}`;
    const moments = momentsOf(locations, rule, recordedMs);
    const isSilence = location === NO_LOCATION;
    const isLate = moments.map((ms) => !isOnly && !isSilence && ms > checkedMs + silentAfterMs(rule));
    const counted = countedOf(outcome);
    if (!isLate.includes(counted === null)) wrong.push(`${name} is ${counted === null ? 'not' : ''} late`);
    if (counted === null) continue;
    // If there is only one location, it is evaluated at the time of the check.
    const verdicts = (isOnly && !isSilence ? [checkedMs] : moments).map((ms) => verdictOf(locations, rule, ms));
    if (!verdicts.some((one) => one.outcome === counted.outcome && one.degraded === counted.degraded))
      wrong.push(`${name} counts as ${counted.outcome}, and is ${verdicts.map((one) => one.outcome).join(' or ')}`);
    last = { counted: counted.outcome, decided: own.outcome === 'unknown' ? [] : verdicts };
  }
  if (last === null) return wrong;
  const status = outcomeOf(endpoint.status);
  if (status !== last.counted) wrong.push(`${endpoint.id} is ${status}, and its last verdict ${last.counted}`);
  const isWhole = recorded.every(({ recordedMs }) => recordedMs >= fromMs);
  const { decided } = last;
  const isStored = (one: Verdict) => one.failures === endpoint.failures && one.successes === endpoint.successes;
  if (isWhole && decided.length > 0 && !decided.some((one) => one.outcome === 'unknown' || isStored(one)))
    wrong.push(`${endpoint.id} has ${endpoint.failures} failures and ${endpoint.successes} successes in a row`);
  return wrong;
}

function afterResult<Location extends LocationState>(
  before: Location,
  { outcome, degraded }: ReturnType<typeof ownOf>,
  checkedMs: number,
): Location {
  const { failures, successes, badStreak, goodStreak } = streaksAfter(
    { ...NEW_STATE, ...before },
    {
      outcome,
      degraded,
      planned: false,
      muted: false,
      checkedMs,
      slotMs: null,
    },
  );
  return {
    ...before,
    status: outcome,
    degraded,
    failures,
    successes,
    badStreak,
    goodStreak,
    lastCheckedMs: Math.max(before.lastCheckedMs ?? 0, checkedMs),
    lastKnownMs: outcome === 'unknown' ? before.lastKnownMs : Math.max(before.lastKnownMs ?? 0, checkedMs),
  };
}

/**
 * Returns the moments at which the verdict may have been decided, including those just after a location became stale or
 * was lost.
 */
function momentsOf(locations: readonly LocationState[], rule: VerdictRule, recordedMs: number): number[] {
  const [from, to] = [recordedMs - DECIDED_BEFORE_MS, recordedMs + DECIDED_AFTER_MS];
  const changes = locations.flatMap(({ lastCheckedMs, lastKnownMs, assignedMs }) => [
    (lastCheckedMs ?? -Infinity) + silentAfterMs(rule) + 1,
    (lastKnownMs ?? assignedMs) + silentAfterMs(rule) + LOST_MS + 1,
  ]);
  return [from, ...changes.filter((ms) => ms > from && ms < to), to];
}
