import type { Sql } from '../../src/platform/database/database';
import { checkSettled } from '../harness/app/invariants';
import { findLocationViolations } from '../harness/probe/location-invariants';
import { OWN_CODE } from '../../src/history/check-encoding';
import { formatId } from '../../src/platform/ids/id';
import type { AwaitedReminder, Delivery, StoredCheck } from './history';

export interface DatabaseSnapshot {
  deliveries: Delivery[];
  pagerDeliveries: Delivery[];
  checks: StoredCheck[];
  /** The number of alert events, without those on deleted websites. */
  events: number;
  incidents: IncidentCounts;
  broken: string[];
}

export interface IncidentCounts {
  all: number;
  shared: number;
  reopened: number;
  merged: number;
}

const COUNT_INCIDENTS = `
  SELECT count(*)::int AS all, count(*) FILTER (WHERE endpoint_count > 1)::int AS shared, count(*) FILTER (WHERE reopened > 0)::int AS reopened,
         count(merged_into)::int AS merged FROM incident`;

const DELIVERIES = `
  SELECT notice->>'id' AS id, (extract(epoch FROM created_at) * 1000)::float8 AS at, notice->'alert'->>'description' AS alert, notice->'endpoint'->>'name' AS endpoint,
         kind, incident_no AS "episodeNo", state, detail, channel_type AS "channelType", notice->>'reason' AS reason, ordinal, contact_id AS contact,
         notice->>'incidentKey' AS "incidentKey"
    FROM notification ORDER BY seq`;

export const NO_INCIDENTS: IncidentCounts = { all: 0, shared: 0, reopened: 0, merged: 0 };

const CHECKS = `
  SELECT e.name AS endpoint, r.location, (extract(epoch FROM r.checked_at) * 1000)::float8 AS at,
         CASE ${OWN_CODE} WHEN 0 THEN 'down' WHEN 1 THEN 'up' ELSE 'unknown' END AS outcome
    FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key WHERE e.type <> 'HEARTBEAT' ORDER BY r.checked_at`;

const CONTRADICTING_ITS_CONTACT = `
  SELECT a.description || ' contradicts its contact ' || c.name AS text FROM alert a JOIN contact c ON c.id = a.contact_id
   WHERE a.type <> c.type OR a.destination IS DISTINCT FROM c.destination`;

/**
 * The delay of alerts that no command edits counts from the first failing check. With several locations, an earlier
 * check may be recorded later.
 */
const TOO_EARLY = `
  SELECT a.description || ' triggered ' || n.incident_no || ' after ' || (n.notice->'check'->>'checkedAt')::timestamptz - (n.notice->>'startedAt')::timestamptz AS text
    FROM notification n JOIN alert a ON a.id = n.alert_id JOIN endpoint e ON e.id = a.endpoint_id
   WHERE n.kind = 'triggered' AND e.location_count = 1 AND e.name = ANY ($1::text[])
     AND (n.notice->'check'->>'checkedAt')::timestamptz < (n.notice->>'startedAt')::timestamptz + make_interval(secs => a.after_seconds)`;

// A changed URL starts a new streak, so only endpoints that no command edits can be compared. With several locations,
// the quorum has the streak.
const WRONG_STREAKS = `
  SELECT name || ' has ' || failures || ' failures in a row, its history ' || counted AS text FROM (
    SELECT e.name, s.consecutive_failures AS failures,
           (SELECT count(*) FROM check_result r WHERE r.endpoint_key = e.key AND r.outcome & 3 = 0
               AND r.checked_at > COALESCE((SELECT max(u.checked_at) FROM check_result u
                                             WHERE u.endpoint_key = e.key AND u.outcome & 3 = 1), '-infinity')) AS counted
      FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id AND e.location_count = 1 WHERE e.name = ANY ($1::text[])) streaks
   WHERE failures <> counted`;

/**
 * Simulates that time passes: the next reminder of every alert is due now. The job's own statements do everything
 * else.
 */
const MAKE_DUE = `
  UPDATE alert a SET remind_at = clock_timestamp() - interval '1 second'
    FROM endpoint e
   WHERE e.id = a.endpoint_id AND a.remind_at IS NOT NULL
  RETURNING a.description AS alert, e.name AS endpoint, a.incident_no AS "episodeNo", a.reminders, a.triggered,
    (SELECT count(*)::int FROM alert_event v WHERE v.alert_id = a.id AND v.created_at > now() - interval '1 hour') AS transitions`;

/** An alert with more transitions in the last hour is flapping. */
const CALM_TRANSITIONS = 6;

/** Makes all reminders due. Returns those that must arrive, provided that everything has settled. */
export async function makeRemindersDue(sql: Sql): Promise<AwaitedReminder[]> {
  const rows = await sql.query<AwaitedReminder & { triggered: boolean; transitions: number }>(MAKE_DUE);
  const at = Date.now();
  return rows
    .filter(({ triggered, transitions }) => triggered && transitions <= CALM_TRANSITIONS)
    .map(({ alert, endpoint, episodeNo, reminders }) => ({ alert, endpoint, episodeNo, reminders, at }));
}

/**
 * Call this when no delivery is pending. Contacts are identified by their public IDs. `isUndisturbed` returns whether
 * no probe was disabled when something was recorded.
 */
export async function readDatabase(
  sql: Sql,
  steady: readonly string[],
  isUndisturbed: (recordedMs: number) => boolean,
): Promise<DatabaseSnapshot> {
  const broken: string[] = [];
  broken.push(...(await locationViolations(sql, (name, ms) => steady.includes(name) && isUndisturbed(ms))));
  await checkSettled(sql).catch((error: unknown) => broken.push(String(error)));
  for (const statement of [WRONG_STREAKS, TOO_EARLY])
    for (const { text } of await sql.query<{ text: string }>(statement, [steady])) broken.push(text);
  for (const { text } of await sql.query<{ text: string }>(CONTRADICTING_ITS_CONTACT)) broken.push(text);
  const [{ events } = { events: 0 }] = await sql.query<{ events: number }>(
    'SELECT count(*)::int AS events FROM alert_event',
  );
  const rows = await sql.query<Delivery & { channelType: string }>(DELIVERIES);
  const all = rows.map((row) => ({ ...row, contact: row.contact && formatId('contact', row.contact) }));
  const isPaged = ({ channelType }: { channelType: string }) => channelType === 'pagerduty';
  const [pagerDeliveries, deliveries] = [all.filter(isPaged), all.filter((one) => !isPaged(one))];
  const checks = await sql.query<StoredCheck>(CHECKS);
  const [incidents = NO_INCIDENTS] = await sql.query<IncidentCounts>(COUNT_INCIDENTS);
  return { deliveries, pagerDeliveries, checks, events, incidents, broken };
}

/** Reads a snapshot, because instances continue to write. */
async function locationViolations(sql: Sql, isJudged: (name: string, ms: number) => boolean): Promise<string[]> {
  await sql.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const found = await findLocationViolations(sql, isJudged);
    return found.map(({ what, ids }) => `${what}: ${ids.join(' ')}`);
  } finally {
    await sql.query('COMMIT');
  }
}
