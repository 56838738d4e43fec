import { ERROR_CODES } from '../../checker/checker';
import type { Sql } from '../../platform/database/database';
import { epochMs } from '../../platform/database/epoch-ms';
import { LOCAL_NAME, LOCATION_NAME } from '../../probe/probe-directory';
import { type ProbeStatus, probeStatus } from '../../probe/probe-status';
import { outcomeOf } from '../outcome-code';
import { isLost, isSilent, isVoting, type LocationState } from '../verdict';
import type { EndpointLocation } from './location.dto';
import { verdictRule } from './locations';

const WITH_PROBE = 'endpoint_location l LEFT JOIN probe p ON p.number = l.number';
/** SQL condition: the probe was not deleted together with its organization. */
const IS_NAMED = '(l.number = 0 OR p.id IS NOT NULL)';

/** The locations of a row `n` of `endpoint_schedule`, in order. Cost: nothing if the only location is `local`. */
export const LOCATIONS_COLUMN = `CASE WHEN n.located
    THEN ARRAY(SELECT ${LOCATION_NAME} FROM ${WITH_PROBE} WHERE l.endpoint_id = n.endpoint_id AND ${IS_NAMED} ORDER BY l.position)
    ELSE '{${LOCAL_NAME}}'::text[] END AS locations`;

/**
 * Returns the locations by endpoint UUID. Endpoints whose only location is `local` are missing. Cost: one statement,
 * with a primary key range scan per endpoint.
 */
export async function readLocationNames(sql: Sql, endpointIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await sql.query<{ id: string; locations: string[] }>(
    `SELECT l.endpoint_id AS id, array_agg(${LOCATION_NAME} ORDER BY l.position) AS locations
       FROM ${WITH_PROBE} WHERE l.endpoint_id = ANY ($1::uuid[]) AND ${IS_NAMED} GROUP BY l.endpoint_id`,
    [endpointIds],
  );
  return new Map(rows.map(({ id, locations }) => [id, locations]));
}

/** The settings that determine how results from an endpoint's locations are interpreted. */
export interface LocatedEndpoint {
  id: string;
  located: boolean;
  quorum: string;
  intervalSeconds: number;
  timeoutSeconds: number;
}

/** A row of `endpoint_location`, together with its probe. */
export interface LocationRow {
  endpointId: string;
  location: string;
  name: string;
  status: number;
  since: Date | null;
  degraded: boolean;
  failures: number;
  successes: number;
  bad: number;
  good: number;
  assignedAt: Date;
  lastCheckedAt: Date | null;
  lastKnownAt: Date | null;
  lastError: number | null;
  lastMessage: string | null;
  /** `null` for `local`. */
  probe: ProbeStatus | null;
  /** The current time by the database's clock. */
  nowMs: number;
}

const STATES = `
  SELECT l.endpoint_id AS "endpointId", ${LOCATION_NAME} AS location, coalesce(p.name, '${LOCAL_NAME}') AS name, l.status, l.status_since AS since,
         l.degraded, l.failures, l.successes, l.bad, l.good, l.assigned_at AS "assignedAt", l.last_checked_at AS "lastCheckedAt",
         l.last_known_at AS "lastKnownAt", l.last_error AS "lastError", l.last_message AS "lastMessage", CASE WHEN l.number > 0 THEN ${probeStatus('p')} END AS probe,
         ${epochMs('now()')} AS "nowMs"
    FROM ${WITH_PROBE} WHERE l.endpoint_id = ANY ($1::uuid[]) AND ${IS_NAMED} ORDER BY l.endpoint_id, l.position`;

/**
 * Returns how long the newest check took at each location, in microseconds by endpoint and location. Cost: one
 * statement, or none if there are no endpoints.
 */
export async function readDurations(sql: Sql, endpointIds: readonly string[]): Promise<Map<string, number>> {
  if (endpointIds.length === 0) return new Map();
  const rows = await sql.query<{ id: string; location: string; us: number }>(
    `SELECT l.endpoint_id AS id, ${LOCATION_NAME} AS location, l.last_duration_us AS us
       FROM ${WITH_PROBE} WHERE l.endpoint_id = ANY ($1::uuid[]) AND ${IS_NAMED} AND l.last_duration_us IS NOT NULL`,
    [endpointIds],
  );
  return new Map(rows.map(({ id, location, us }) => [`${id}/${location}`, us]));
}

/**
 * Returns what each location saw, by endpoint UUID, for the endpoints that have rows in `endpoint_location`. Cost: one
 * statement, or none if `local` is the only location of all endpoints.
 */
export async function readByLocation(
  sql: Sql,
  endpoints: readonly LocatedEndpoint[],
): Promise<Map<string, EndpointLocation[]>> {
  const located = new Map(endpoints.filter((endpoint) => endpoint.located).map((endpoint) => [endpoint.id, endpoint]));
  const shown = new Map<string, EndpointLocation[]>();
  if (located.size === 0) return shown;
  for (const row of await sql.query<LocationRow>(STATES, [[...located.keys()]])) {
    const endpoint = located.get(row.endpointId);
    if (!endpoint) continue;
    const list = shown.get(row.endpointId) ?? [];
    list.push(toEndpointLocation(row, endpoint));
    shown.set(row.endpointId, list);
  }
  return shown;
}

/** Returns the API view of one location. Uses the database's clock to determine whether it responds. */
export function toEndpointLocation(
  row: LocationRow,
  endpoint: Pick<LocatedEndpoint, 'quorum' | 'intervalSeconds' | 'timeoutSeconds'>,
): EndpointLocation {
  const rule = verdictRule(endpoint);
  const out = row.probe === 'disabled' || row.probe === 'unsupported' ? row.probe : null;
  const state = { ...stateOf(row), isOut: out !== null };
  const stale = isSilent(state, rule, row.nowMs);
  const lost = isLost(state, rule, row.nowMs);
  const status = outcomeOf(row.status);
  return {
    location: row.location,
    name: row.name,
    status,
    since: row.since?.toISOString() ?? null,
    last_checked_at: row.lastCheckedAt?.toISOString() ?? null,
    failures: row.failures,
    successes: row.successes,
    counts: status !== 'unknown' && isVoting(state, rule, row.nowMs),
    stale,
    error:
      row.lastError === null
        ? null
        : { code: ERROR_CODES[row.lastError] ?? 'internal', message: row.lastMessage ?? '' },
    reason: out ?? (lost ? 'missing' : stale ? 'stale' : null),
  };
}

const stateOf = (row: LocationRow): Omit<LocationState, 'isOut'> => ({
  status: row.lastCheckedAt && outcomeOf(row.status),
  degraded: row.degraded,
  failures: row.failures,
  successes: row.successes,
  badStreak: row.bad,
  goodStreak: row.good,
  assignedMs: row.assignedAt.getTime(),
  lastCheckedMs: row.lastCheckedAt?.getTime() ?? null,
  lastKnownMs: row.lastKnownAt?.getTime() ?? null,
});
