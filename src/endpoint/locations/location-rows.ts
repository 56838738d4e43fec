import type { Tx } from '../../platform/database/database';
import { rowsOf } from '../../platform/database/rows-of';
import { problems } from '../../platform/problem/problem';
import { LOCAL_NAME, type ProbeDirectory } from '../../probe/probe-directory';
import { locationPhaseMs } from '../endpoint-schedule';
import { OUTCOME_CODE } from '../outcome-code';
import { isLocated, type NamingSettings, noProbe, watchedProbe } from './locations';

/** An endpoint whose `endpoint_location` rows must be updated to match its settings. */
export interface NamingEndpoint {
  id: string;
  intervalSeconds: number;
  locations: readonly string[];
  /** `null` for a new endpoint. */
  before: { intervalSeconds: number; locations: readonly string[] } | null;
}

const needsRows = ({ locations, intervalSeconds, before }: NamingEndpoint): boolean =>
  before
    ? (isLocated(locations) || isLocated(before.locations)) &&
      (locations.join() !== before.locations.join() || intervalSeconds !== before.intervalSeconds)
    : isLocated(locations);

/**
 * Returns the numbers of these locations, and keeps their probes from being deleted until the transaction ends. Throws:
 * `validation_failed` if a probe was deleted since validation.
 */
async function holdProbes(
  tx: Tx,
  probes: ProbeDirectory,
  orgId: string,
  locations: readonly string[],
): Promise<Map<string, number>> {
  const held = await probes.hold(tx, orgId, [...new Set(locations)]);
  const gone = locations.find((location) => location !== LOCAL_NAME && !held.has(location));
  if (gone !== undefined)
    throw problems.validationFailed([
      { pointer: '/locations', code: 'unknown_location', message: `there is no probe ${gone}` },
    ]);
  return new Map([[LOCAL_NAME, 0], ...[...held].map(([location, { number }]): [string, number] => [location, number])]);
}

/**
 * Keeps the probes that these endpoints newly watch from being deleted until the transaction ends. Throws:
 * `validation_failed` if one was deleted since validation. Cost: one statement, or none if no probe is watched.
 */
export async function holdWatchedProbes(
  tx: Tx,
  probes: ProbeDirectory,
  orgId: string,
  endpoints: readonly { after: WatchingSettings; before: WatchingSettings | null }[],
): Promise<void> {
  const added = endpoints.flatMap(({ after, before }) => {
    const watched = watchedProbe(after);
    return watched === null || (before && watchedProbe(before) === watched) ? [] : [watched];
  });
  if (added.length === 0) return;
  const held = await probes.hold(tx, orgId, [...new Set(added)]);
  const gone = added.find((location) => !held.has(location));
  if (gone !== undefined)
    throw problems.validationFailed([{ pointer: '/url', code: 'unknown_location', message: noProbe(gone) }]);
}
type WatchingSettings = Pick<NamingSettings, 'type' | 'url'>;

interface SentLocation {
  id: string;
  number: number;
  /** The position in the endpoint's list. */
  turn: number;
  phaseMs: number;
  goesOn: boolean;
}

const SENT = rowsOf<SentLocation>(
  {
    endpoint_id: ['uuid', ({ id }) => id],
    number: ['smallint', ({ number }) => number],
    position: ['smallint', ({ turn }) => turn],
    phase_ms: ['int', ({ phaseMs }) => phaseMs],
    goes_on: ['boolean', ({ goesOn }) => goesOn],
  },
  3,
);

// If an endpoint's only location was `local`, it keeps its state. Rows that don't change are not written. Cost: one
// primary key lookup per location before and after.
const SAVE = `
  WITH sent AS (
    SELECT * FROM ${SENT.as('s')}
  ), gone AS (
    DELETE FROM endpoint_location l WHERE l.endpoint_id = ANY ($1::uuid[])
       AND NOT EXISTS (SELECT FROM sent s WHERE s.endpoint_id = l.endpoint_id AND s.number = l.number)
  )
  INSERT INTO endpoint_location AS l (endpoint_id, number, org_id, position, phase_ms, status, status_since, failures, successes,
         bad, good, degraded, last_slot_at, last_checked_at, last_known_at)
  SELECT s.endpoint_id, s.number, $2::uuid, s.position, s.phase_ms, coalesce(t.status, ${OUTCOME_CODE.unknown}), t.status_since,
         coalesce(t.consecutive_failures, 0), coalesce(t.consecutive_successes, 0), coalesce(t.consecutive_bad, 0),
         coalesce(t.consecutive_good, 0), t.degraded_since IS NOT NULL, t.last_slot_at, t.last_checked_at,
         CASE WHEN t.status <> ${OUTCOME_CODE.unknown} THEN t.last_checked_at END
    FROM sent s LEFT JOIN endpoint_state t ON s.goes_on AND t.endpoint_id = s.endpoint_id
  ON CONFLICT (endpoint_id, number) DO UPDATE SET position = EXCLUDED.position, phase_ms = EXCLUDED.phase_ms, version = NULL
   WHERE (l.position, l.phase_ms) <> (EXCLUDED.position, EXCLUDED.phase_ms)`;

/**
 * Updates the location rows of locked endpoints to match their settings. Call it before their schedule changes, because
 * probes are locked before schedule rows. Cost: two statements for a thousand endpoints, or none if `local` is and was
 * their only location.
 */
export async function saveNamedLocations(
  tx: Tx,
  probes: ProbeDirectory,
  orgId: string,
  endpoints: readonly NamingEndpoint[],
): Promise<void> {
  const changed = endpoints.filter(needsRows);
  if (changed.length === 0) return;
  const numbers = await holdProbes(
    tx,
    probes,
    orgId,
    changed.flatMap(({ locations }) => locations),
  );
  const rows = changed.flatMap(({ id, locations, intervalSeconds, before }) =>
    (isLocated(locations) ? locations : []).map((location, turn) => ({
      id,
      number: numbers.get(location) ?? 0,
      turn,
      phaseMs: locationPhaseMs(id, intervalSeconds, { turn, of: locations.length }),
      goesOn: location === LOCAL_NAME && before !== null && !isLocated(before.locations),
    })),
  );
  await tx.query(SAVE, [
    changed.map(({ id }) => id),
    orgId,
    ...SENT.of(rows),
  ]);
}

/**
 * Resets the locations of endpoints that resume. Results from before the pause have no vote, and a location that didn't
 * report during the pause isn't lost. The streaks are kept. Cost: one update per location.
 */
export async function resumeLocations(tx: Tx, by: 'endpoint_id' | 'website_id', ids: readonly string[]): Promise<void> {
  const endpoints =
    by === 'endpoint_id'
      ? '$1::uuid[]'
      : `ARRAY(SELECT id FROM endpoint WHERE website_id = ANY ($1::uuid[]) AND enabled)`;
  await tx.query(
    `UPDATE endpoint_location SET status = ${OUTCOME_CODE.unknown}, status_since = now(), degraded = false, last_known_at = NULL, assigned_at = now()
      WHERE endpoint_id = ANY (${endpoints})`,
    [ids],
  );
}

/**
 * A common table expression that resets the location results of endpoints $1, because the endpoints have a new target.
 */
export const FORGET_LOCATIONS = `locations AS (
    UPDATE endpoint_location SET status = ${OUTCOME_CODE.unknown}, status_since = now(), failures = 0, successes = 0, bad = 0, good = 0,
           degraded = false, last_known_at = NULL, last_error = NULL, last_message = NULL, last_address = NULL, assigned_at = now()
     WHERE endpoint_id = ANY ($1::uuid[]))`;
