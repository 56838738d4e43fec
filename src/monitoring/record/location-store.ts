import { LOCAL } from '../../engine/finished-check';
import { verdictRule } from '../../endpoint/locations/locations';
import { OUTCOME_CODE, outcomeOf } from '../../endpoint/outcome-code';
import { errorCodeAt, errorIndex, toMicroseconds } from '../../history/check-encoding';
import type { Sql, Tx } from '../../platform/database/database';
import { epochMs, timeAt } from '../../platform/database/epoch-ms';
import { storableMessage } from '../../platform/database/postgres-text';
import { rowsOf } from '../../platform/database/rows-of';
import { LOCATION_NAME } from '../../probe/probe-directory';
import { SUPPORTED_PROTOCOLS } from '../../probe-protocol/protocol';
import type { Located, StoredLocation } from './location-state';
import { cut } from '../../platform/text/text-limits';

interface Row extends Omit<StoredLocation, 'status' | 'error'> {
  endpointId: string;
  quorum: string;
  intervalSeconds: number;
  timeoutSeconds: number;
  status: number;
  errorIndex: number | null;
  message: string | null;
}

/**
 * SQL condition: the probe `p` is disabled, or uses an unsupported protocol version. NULL for a probe that has never
 * connected.
 */
const IS_SHUT = `(NOT p.enabled OR p.protocol <> ALL ('{${SUPPORTED_PROTOCOLS.join(',')}}'))`;
/** SQL condition, never NULL: the probe `p` for a location `l` is deleted, disabled, or unsupported. */
const IS_OUT = `(l.number > 0 AND (p.id IS NULL OR ${IS_SHUT})) IS TRUE`;
/** SQL condition: the opposite of `IS_OUT`, without a join. A statement reads all probe numbers once. */
export const IS_IN_SERVICE = `(l.number = ${LOCAL} OR l.number IN (SELECT p.number FROM probe p WHERE ${IS_SHUT} IS NOT TRUE))`;

// Cost: three index lookups for each endpoint, regardless of table sizes. Without OFFSET 0, PostgreSQL scans small
// tables.
const READ = `
  SELECT l.endpoint_id AS "endpointId", e.quorum, c.interval_seconds AS "intervalSeconds", c.timeout_seconds AS "timeoutSeconds",
         l.number, ${LOCATION_NAME} AS name,
         l.status, ${epochMs('l.status_since')} AS "statusSinceMs", l.failures, l.successes, l.bad AS "badStreak", l.good AS "goodStreak",
         l.degraded, ${epochMs('l.assigned_at')} AS "assignedMs", ${epochMs('l.last_slot_at')} AS "lastSlotMs",
         ${epochMs('l.last_checked_at')} AS "lastCheckedMs", ${epochMs('l.last_known_at')} AS "lastKnownMs",
         ${IS_OUT} AS "isOut", l.last_error AS "errorIndex", l.last_message AS message, l.last_address AS address,
         l.last_duration_us / 1000.0::float8 AS "durationMs"
    FROM endpoint e
    JOIN endpoint_schedule c ON c.endpoint_id = e.id
    CROSS JOIN LATERAL (SELECT * FROM endpoint_location WHERE endpoint_id = e.id OFFSET 0) l
    LEFT JOIN probe p ON p.number = l.number
   WHERE e.id = ANY ($1::uuid[]) ORDER BY e.id, l.position`;

/**
 * Reads the locations of these endpoints. The caller must have locked their `endpoint_state` rows. `nowMs` is the
 * database's clock. Cost: one statement.
 */
export async function readLocations(
  sql: Sql,
  endpointIds: readonly string[],
  nowMs: number,
): Promise<Map<string, Located>> {
  const located = new Map<string, Located & { locations: StoredLocation[] }>();
  for (const row of await sql.query<Row>(READ, [endpointIds])) {
    const { endpointId } = row;
    const known = located.get(endpointId) ?? { rule: verdictRule(row), locations: [], nowMs };
    known.locations.push(locationOf(row));
    located.set(endpointId, known);
  }
  return located;
}

function locationOf(row: Row): StoredLocation {
  const { number, name, statusSinceMs, failures, successes, badStreak, goodStreak, degraded } = row;
  const { assignedMs, lastSlotMs, lastCheckedMs, lastKnownMs, isOut, address, durationMs } = row;
  const code = row.errorIndex === null ? null : errorCodeAt(row.errorIndex);
  return {
    number,
    name,
    status: lastCheckedMs === null ? null : outcomeOf(row.status),
    statusSinceMs,
    failures,
    successes,
    badStreak,
    goodStreak,
    degraded,
    assignedMs,
    lastSlotMs,
    lastCheckedMs,
    lastKnownMs,
    isOut,
    error: code && { code, message: row.message ?? '' },
    address,
    durationMs,
  };
}

type ChangedLocation = StoredLocation & { endpointId: string };

const CHANGED = rowsOf<ChangedLocation>({
  id: ['uuid', ({ endpointId }) => endpointId],
  number: ['smallint', ({ number }) => number],
  status: ['smallint', ({ status }) => OUTCOME_CODE[status ?? 'unknown']],
  status_since: ['float8', ({ statusSinceMs }) => statusSinceMs],
  failures: ['int', ({ failures }) => failures],
  successes: ['int', ({ successes }) => successes],
  bad: ['int', ({ badStreak }) => badStreak],
  good: ['int', ({ goodStreak }) => goodStreak],
  degraded: ['boolean', ({ degraded }) => degraded],
  last_slot: ['float8', ({ lastSlotMs }) => lastSlotMs],
  last_checked: ['float8', ({ lastCheckedMs }) => lastCheckedMs],
  last_known: ['float8', ({ lastKnownMs }) => lastKnownMs],
  error: ['smallint', ({ error }) => error && errorIndex(error.code)],
  message: ['text', ({ error }) => error && storableMessage(error.message)],
  address: ['text', ({ address }) => address && cut(address, MAX_ADDRESS, '')],
  duration: ['int', ({ durationMs }) => toMicroseconds(durationMs)],
});

// Locks rows in order, because the statement that assigns change numbers also locks several rows. Cost: one heap-only
// update each.
const SAVE = `
  WITH v AS MATERIALIZED (
    SELECT * FROM ${CHANGED.as('v')}),
  locked AS MATERIALIZED (
    SELECT l.endpoint_id, l.number FROM v JOIN endpoint_location l ON l.endpoint_id = v.id AND l.number = v.number
     ORDER BY l.endpoint_id, l.number FOR NO KEY UPDATE OF l)
  UPDATE endpoint_location l
     SET status = v.status, status_since = ${timeAt('v.status_since')}, failures = v.failures, successes = v.successes, bad = v.bad, good = v.good,
         degraded = v.degraded, last_slot_at = ${timeAt('v.last_slot')}, last_checked_at = ${timeAt('v.last_checked')},
         last_known_at = ${timeAt('v.last_known')}, last_error = v.error, last_message = v.message, last_address = v.address,
         last_duration_us = nullif(v.duration, -1)
    FROM locked k JOIN v ON v.id = k.endpoint_id AND v.number = k.number
   WHERE l.endpoint_id = k.endpoint_id AND l.number = k.number`;

/**
 * Saves the locations that a batch has changed. A location that was removed in the meantime isn't added again. Cost:
 * one statement, or none if the list is empty.
 */
export async function saveLocations(tx: Tx, changed: readonly ChangedLocation[]): Promise<void> {
  if (changed.length > 0) await tx.query(SAVE, CHANGED.of(changed));
}

/** The maximum length, in characters. */
export const MAX_ADDRESS = 64;

// Subtracts 2 ms, because the rounded current time could equal the time of the next check, which would look like a
// duplicate. Cost: a table scan, but only after the clock was set back.
const FORGET_FUTURE = `
  UPDATE endpoint_location
     SET last_slot_at = NULL, last_checked_at = LEAST(last_checked_at, now() - interval '2 ms'), last_known_at = LEAST(last_known_at, now())
   WHERE last_slot_at > now() + interval '10 seconds' OR last_checked_at > now() + interval '10 seconds'`;

/**
 * Resets times in the future after the database's clock was set back. Otherwise, new results would be treated as
 * duplicates or as late.
 */
export async function forgetFuture(sql: Sql): Promise<void> {
  await sql.query(FORGET_FUTURE);
}
