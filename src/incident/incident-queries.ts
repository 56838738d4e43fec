import { OUTCOME_CODE } from '../endpoint/outcome-code';
import { authorName } from '../platform/access/author';
import type { Tx } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import { newUuid } from '../platform/ids/id';
import type { Dependency, Draft, IncidentTrigger } from './incident-draft';
import { type AckColumns, inHandOf } from './incident-in-hand';
import { INCIDENT_COLUMNS, type IncidentCause, type IncidentRow } from './incident-row';
import { AGAIN_MS, JOIN_MS, OPEN_MS, type Opener } from './place-of';

/**
 * The maximum number of an organization's open incidents that others may join. If there are more, only the newest
 * count.
 */
const MAX_OPEN = 200;
/** How many of an endpoint's newest incidents to read. It can only return to an incident from the last few minutes. */
const MAX_FORMER = 10;

/**
 * An endpoint that has recovered, or that has a resolved alert. It leaves its incident unless one of its alerts is
 * triggered.
 */
export interface Leaving {
  orgId: string;
  endpointId: string;
  /** When it recovered or was stopped. */
  at: Date;
}

/**
 * Takes the lock that serializes changes to organizations' incidents, so that concurrent transactions agree. All code
 * takes locks in this order: state rows, alert rows, these locks in the order of organizations, then incidents by ID.
 * Never take an earlier lock while holding a later one. Returns the dependencies among `endpointIds`. Data that was
 * read before may be outdated. Cost: one statement.
 */
export async function lockIncidents(
  tx: Tx,
  orgIds: readonly string[],
  endpointIds: readonly string[] = [],
): Promise<Dependency[]> {
  return tx.query<Dependency>(
    `WITH locked AS (
       INSERT INTO incident_sequence AS s (org_id) SELECT DISTINCT unnest($1::uuid[]) ORDER BY 1
       ON CONFLICT (org_id) DO UPDATE SET last = s.last WHERE false)
     SELECT endpoint_id AS "endpointId", parent_id AS "parentId" FROM endpoint_dependency
      WHERE endpoint_id = ANY ($2::uuid[]) AND parent_id = ANY ($2::uuid[])`,
    [orgIds, endpointIds],
  );
}

interface CandidateRow
  extends
    AckColumns,
    Pick<Draft, 'id' | 'orgId' | 'number' | 'severity' | 'startedAt' | 'openedAt' | 'joinedAt' | 'endedAt'> {
  cause: IncidentCause;
  causeValue: string | null;
  causeName: string | null;
  opener: Opener;
  /** When each of these endpoints left the incident, or `null` for an open member. */
  own: { id: string; left: string | null }[] | null;
  related: { id: string; parent: string; name: string }[] | null;
}

/**
 * Cost: at most 200 open incidents per organization, by index. For each trigger, its newest memberships, and the open
 * memberships of its parents and dependents.
 */
const CANDIDATES = `
  WITH t AS MATERIALIZED (SELECT * FROM unnest($1::uuid[]) AS t (id)),
  recent AS MATERIALIZED (
    SELECT i.id FROM unnest($2::uuid[]) AS o (id) CROSS JOIN LATERAL (
      SELECT i.id FROM incident i
       WHERE i.org_id = o.id AND i.ended_at IS NULL AND i.kind = 'detected'
         AND i.joined_at > $3::timestamptz - interval '${JOIN_MS} milliseconds'
         AND i.opened_at > $3::timestamptz - interval '${OPEN_MS} milliseconds'
       ORDER BY i.joined_at DESC LIMIT ${MAX_OPEN}) i),
  own AS MATERIALIZED (
    SELECT m.incident_id, t.id, m.ended_at FROM t JOIN incident_member m ON m.endpoint_id = t.id AND m.ended_at IS NULL
    UNION ALL
    SELECT m.incident_id, t.id, m.ended_at FROM t CROSS JOIN LATERAL (
      SELECT m.incident_id, m.ended_at FROM incident_member m WHERE m.endpoint_id = t.id
       ORDER BY m.incident_id DESC LIMIT ${MAX_FORMER}) m WHERE m.ended_at IS NOT NULL),
  related AS MATERIALIZED (
    SELECT m.incident_id, t.id, m.endpoint_id AS parent, m.endpoint_name AS name FROM t
      JOIN endpoint_dependency d ON d.endpoint_id = t.id
      JOIN incident_member m ON m.endpoint_id = d.parent_id AND m.ended_at IS NULL
    UNION
    SELECT DISTINCT m.incident_id, t.id, t.id, NULL FROM t
      JOIN endpoint_dependency d ON d.parent_id = t.id
      JOIN incident_member m ON m.endpoint_id = d.endpoint_id AND m.ended_at IS NULL)
  SELECT i.id, i.org_id AS "orgId", i.number, i.severity, i.cause, i.cause_value AS "causeValue", i.cause_name AS "causeName",
         i.started_at AS "startedAt", i.opened_at AS "openedAt", i.joined_at AS "joinedAt", i.ended_at AS "endedAt",
         jsonb_build_object('websiteId', i.opener_website_id, 'address', i.opener_address, 'errorCode', i.opener_error_code,
           'isOfProbe', EXISTS (SELECT FROM endpoint e WHERE e.id = i.opener_endpoint_id AND e.type = 'PROBE')) AS opener,
         ${authorName('i.ack_by', 'i.ack_person_id')} AS "ackBy", i.ack_person_id AS "ackPersonId", i.ack_at AS "ackAt", i.ack_note AS "ackNote", i.ack_until AS "ackUntil",
         (SELECT jsonb_agg(jsonb_build_object('id', o.id, 'left', o.ended_at)) FROM own o WHERE o.incident_id = i.id) AS own,
         (SELECT jsonb_agg(jsonb_build_object('id', r.id, 'parent', r.parent, 'name', r.name)) FROM related r WHERE r.incident_id = i.id) AS related
    FROM incident i
   WHERE i.id IN (SELECT id FROM recent UNION SELECT incident_id FROM own) AND i.kind = 'detected' AND i.merged_into IS NULL
     AND (i.ended_at IS NULL OR i.ended_at > $3::timestamptz - interval '${AGAIN_MS} milliseconds')`;

/**
 * Returns the incidents that these triggers of several organizations may join. Call this while holding the lock. Cost:
 * one statement.
 */
export async function readCandidates(tx: Tx, triggers: readonly IncidentTrigger[], now: Date): Promise<Draft[]> {
  const names = new Map(triggers.map(({ endpointId, endpointName }) => [endpointId, endpointName]));
  const rows = await tx.query<CandidateRow>(CANDIDATES, [
    triggers.map(({ endpointId }) => endpointId),
    [...new Set(triggers.map(({ orgId }) => orgId))],
    now,
  ]);
  return rows.map(({ cause, causeValue, causeName, own, related, ...incident }) => ({
    ...incident,
    isNew: false,
    cause: { kind: cause, value: causeValue, name: causeName },
    inHand: inHandOf(incident),
    members: new Set((own ?? []).filter(({ left }) => left === null).map(({ id }) => id)),
    left: new Map((own ?? []).flatMap(({ id, left }) => (left === null ? [] : [[id, new Date(left)]]))),
    related: new Map(
      (related ?? []).map(({ id, parent, name }) => [id, { id: parent, name: name ?? names.get(parent) ?? '' }]),
    ),
    triggering: [],
    joining: [],
    isReopened: false,
    isWorse: false,
  }));
}

// Cost: one row per new or changed incident. Numbers come from the sequence row, which is locked.
const SAVE = `
  WITH c AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS c (id uuid, org_id uuid, ordinal int, severity text, cause text, cause_value text, cause_name text,
      opener_endpoint_id uuid, opener_name text, opener_website_id uuid, opener_address text, opener_error_code text,
      started_at timestamptz, endpoint_count int)),
  counted AS (
    UPDATE incident_sequence s SET last = s.last + n.count FROM (SELECT org_id, count(*)::int AS count FROM c GROUP BY org_id) n
     WHERE s.org_id = n.org_id RETURNING s.org_id, s.last - n.count AS before),
  opened AS (
    INSERT INTO incident (id, org_id, number, kind, severity, cause, cause_value, cause_name, opener_endpoint_id, opener_name,
      opener_website_id, opener_address, opener_error_code, started_at, last_started_at, opened_at, joined_at, endpoint_count, open_count, created_at, updated_at)
    SELECT c.id, c.org_id, s.before + c.ordinal, 'detected', c.severity, c.cause, c.cause_value, c.cause_name, c.opener_endpoint_id, c.opener_name,
      c.opener_website_id, c.opener_address, c.opener_error_code, c.started_at, c.started_at, $3, $3, c.endpoint_count, c.endpoint_count, $3, $3
      FROM c JOIN counted s ON s.org_id = c.org_id
    RETURNING *),
  j AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS j (id uuid, severity text, cause text, cause_value text, cause_name text, started_at timestamptz,
      added int, opened int, reopens int, resumed_at timestamptz, update_id uuid)),
  joined AS (
    UPDATE incident i
       SET severity = j.severity, cause = j.cause, cause_value = j.cause_value, cause_name = j.cause_name, started_at = j.started_at,
           joined_at = CASE WHEN j.opened > 0 THEN $3 ELSE i.joined_at END, ended_at = NULL, reopened = i.reopened + j.reopens,
           outage_count = i.outage_count + CASE WHEN j.resumed_at > i.ended_at THEN 1 ELSE 0 END,
           earlier_downtime_ms = i.earlier_downtime_ms + CASE WHEN j.resumed_at > i.ended_at
             THEN greatest(0, ${epochMs('i.ended_at')} - ${epochMs('COALESCE(i.last_started_at, i.started_at)')}) ELSE 0 END,
           last_started_at = CASE WHEN j.resumed_at > i.ended_at THEN j.resumed_at
             WHEN i.outage_count = 1 THEN j.started_at ELSE i.last_started_at END,
           endpoint_count = i.endpoint_count + j.added, open_count = i.open_count + j.opened,
           status = CASE WHEN j.reopens > 0 AND i.status IS NOT NULL THEN 'investigating' ELSE i.status END, updated_at = $3
      FROM j WHERE i.id = j.id RETURNING i.*),
  said AS (
    INSERT INTO incident_update (id, incident_id, org_id, at, status, text, public, automatic)
    SELECT j.update_id, i.id, i.org_id, $3, 'investigating', '', i.public_at IS NOT NULL, true
      FROM j JOIN joined i ON i.id = j.id WHERE j.reopens > 0 AND i.status IS NOT NULL)
  SELECT ${INCIDENT_COLUMNS} FROM (SELECT * FROM opened UNION ALL SELECT * FROM joined) i`;

/**
 * Saves the changes that a batch made to incidents. Unchanged incidents aren't written. Cost: at most one statement.
 */
export async function saveDrafts(tx: Tx, drafts: readonly Draft[], now: Date): Promise<IncidentRow[]> {
  const ordinals = new Map<string, number>();
  const opened = drafts
    .filter(({ isNew }) => isNew)
    .map((draft) => {
      const ordinal = (ordinals.get(draft.orgId) ?? 0) + 1;
      ordinals.set(draft.orgId, ordinal);
      const [opener] = draft.joining;
      return {
        ...fieldsOf(draft),
        org_id: draft.orgId,
        ordinal,
        opener_endpoint_id: opener?.trigger.endpointId,
        opener_name: opener?.trigger.endpointName,
        opener_website_id: opener?.trigger.websiteId,
        opener_address: opener?.trigger.address,
        opener_error_code: opener?.trigger.errorCode,
        endpoint_count: draft.joining.length,
      };
    });
  const changed = drafts
    .filter(({ isNew, joining, isWorse }) => !isNew && (joining.length > 0 || isWorse))
    .map((draft) => ({
      ...fieldsOf(draft),
      added: draft.joining.filter(({ trigger }) => !draft.left.has(trigger.endpointId)).length,
      opened: draft.joining.length,
      reopens: draft.isReopened ? 1 : 0,
      resumed_at: draft.joining.map(({ trigger }) => trigger.startedAt).sort((a, b) => a.getTime() - b.getTime())[0],
      update_id: newUuid(),
    }));
  if (opened.length + changed.length === 0) return [];
  return tx.query<IncidentRow>(SAVE, [JSON.stringify(opened), JSON.stringify(changed), now]);
}

const fieldsOf = ({ id, severity, cause, startedAt }: Draft) => ({
  id,
  severity,
  cause: cause.kind,
  cause_value: cause.value,
  cause_name: cause.name,
  started_at: startedAt,
});

/**
 * Saves members that join, return, or are no longer held, and the outages that start. An outage that an edit of the
 * alert rule interrupted continues. Cost: at most one statement, with at most two rows each.
 */
export async function saveMembers(tx: Tx, drafts: readonly Draft[]): Promise<void> {
  const rows = drafts.flatMap(({ id, joining, triggering }) =>
    [...joining, ...triggering.map((trigger) => ({ trigger, held: false }))].map(({ trigger, held }) => ({
      incident_id: id,
      endpoint_id: trigger.endpointId,
      org_id: trigger.orgId,
      website_id: trigger.websiteId,
      endpoint_name: trigger.endpointName,
      website_name: trigger.websiteName,
      started_at: trigger.startedAt,
      error_code: trigger.errorCode,
      error_message: trigger.errorMessage,
      held,
    })),
  );
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  const outages = drafts.flatMap(({ id, joining }) =>
    joining.map(({ trigger }) => ({
      incident_id: id,
      endpoint_id: trigger.endpointId,
      started_at: trigger.startedAt,
      error_code: trigger.errorCode,
      error_message: trigger.errorMessage,
    })),
  );
  await tx.query(
    `WITH outages AS (
       INSERT INTO incident_outage (incident_id, endpoint_id, started_at, error_code, error_message)
       SELECT incident_id, endpoint_id, started_at, error_code, error_message FROM jsonb_populate_recordset(NULL::incident_outage, $2::jsonb)
       ON CONFLICT (incident_id, endpoint_id, started_at) DO UPDATE SET ended_at = NULL)
     INSERT INTO incident_member AS m (${columns})
     SELECT ${columns} FROM jsonb_populate_recordset(NULL::incident_member, $1::jsonb)
     ON CONFLICT (incident_id, endpoint_id) DO UPDATE
       SET ended_at = NULL, held = EXCLUDED.held, error_code = EXCLUDED.error_code, error_message = EXCLUDED.error_message
     WHERE m.ended_at IS NOT NULL OR m.held`,
    [JSON.stringify(rows), JSON.stringify(outages)],
  );
}

/**
 * Cost: the open membership, the current outage, and the triggered alerts of each endpoint. For an incident that ends, the times when its
 * members left. The incident's row is locked before it is evaluated, because users may have posted an update in the
 * meantime.
 */
const LEAVE = `
  WITH e AS (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS e (endpoint_id, at)),
  open AS (SELECT m.incident_id, m.endpoint_id FROM e JOIN incident_member m ON m.endpoint_id = e.endpoint_id AND m.ended_at IS NULL),
  gone AS (
    UPDATE incident_member m SET ended_at = greatest(e.at, m.started_at) FROM e
     WHERE m.endpoint_id = e.endpoint_id AND m.ended_at IS NULL
       AND NOT EXISTS (SELECT FROM alert a WHERE a.endpoint_id = m.endpoint_id AND a.triggered)
    RETURNING m.incident_id, m.endpoint_id, m.ended_at),
  over AS (
    UPDATE incident_outage o SET ended_at = greatest(g.ended_at, o.started_at) FROM gone g
     WHERE o.incident_id = g.incident_id AND o.endpoint_id = g.endpoint_id AND o.ended_at IS NULL),
  counted AS (
    SELECT incident_id AS id, count(*)::int AS count, max(ended_at) AS at, row_number() OVER (ORDER BY incident_id) AS position
      FROM gone GROUP BY incident_id),
  before AS (
    SELECT i.id, i.status, i.open_count <= c.count AS ends, c.count, c.at, c.position
      FROM incident i JOIN counted c ON c.id = i.id ORDER BY i.id FOR UPDATE OF i),
  changed AS (
    UPDATE incident i
       SET open_count = i.open_count - b.count, updated_at = $3,
           ended_at = CASE WHEN b.ends THEN greatest(b.at, (SELECT max(m.ended_at) FROM incident_member m WHERE m.incident_id = i.id)) END,
           status = CASE WHEN b.ends AND i.status IS NOT NULL THEN 'resolved' ELSE i.status END,
           ack_by = CASE WHEN b.ends THEN NULL ELSE i.ack_by END,
           ack_person_id = CASE WHEN b.ends THEN NULL ELSE i.ack_person_id END, ack_at = CASE WHEN b.ends THEN NULL ELSE i.ack_at END,
           ack_note = CASE WHEN b.ends THEN NULL ELSE i.ack_note END, ack_until = CASE WHEN b.ends THEN NULL ELSE i.ack_until END
      FROM before b WHERE i.id = b.id RETURNING i.*),
  said AS (
    INSERT INTO incident_update (id, incident_id, org_id, at, status, text, public, automatic)
    SELECT ($4::uuid[])[b.position], i.id, i.org_id, $3, 'resolved', '', i.public_at IS NOT NULL, true
      FROM before b JOIN changed i ON i.id = b.id WHERE b.ends AND b.status <> 'resolved')
  SELECT o.endpoints AS "endpointIds", o.incident_id AS "incidentId", ${INCIDENT_COLUMNS}
    FROM (SELECT incident_id, array_agg(endpoint_id) AS endpoints FROM open GROUP BY incident_id) o
    LEFT JOIN changed i ON i.id = o.incident_id`;

/** The incident that each of these endpoints is in, and the incidents that any of them has left. */
export interface Left {
  incidentOf: Map<string, string>;
  changed: IncidentRow[];
}

/**
 * Removes the endpoints without a triggered alert from their incidents. An incident ends when the last one leaves. Call
 * this while holding the lock. Cost: one statement.
 */
export async function saveLeaving(tx: Tx, leaving: readonly Leaving[], now: Date): Promise<Left> {
  // For an incident that no endpoint has left, the columns are `null`.
  const rows = await tx.query<{ endpointIds: string[]; incidentId: string } & IncidentRow>(LEAVE, [
    leaving.map(({ endpointId }) => endpointId),
    leaving.map(({ at }) => at),
    now,
    leaving.map(() => newUuid()),
  ]);
  return {
    incidentOf: new Map(rows.flatMap(({ endpointIds, incidentId }) => endpointIds.map((id) => [id, incidentId]))),
    changed: rows.filter(({ id }) => id !== null),
  };
}

/** Returns the held members among these endpoints, which leave at `at`. Cost: one index lookup each. */
export const heldMembers = (tx: Tx, endpointIds: readonly string[], at: Date): Promise<Leaving[]> =>
  tx.query<Leaving>(
    `SELECT org_id AS "orgId", endpoint_id AS "endpointId", $2::timestamptz AS at FROM incident_member
      WHERE endpoint_id = ANY ($1::uuid[]) AND ended_at IS NULL AND held`,
    [endpointIds, at],
  );

/**
 * Returns endpoints with a triggered alert that aren't in any incident, with the data of their oldest open episode.
 * Call this while holding the lock.
 */
export const readMissing = (tx: Tx, orgIds: readonly string[], limit: number): Promise<IncidentTrigger[]> =>
  tx.query<IncidentTrigger>(
    `SELECT DISTINCT ON (a.endpoint_id) a.org_id AS "orgId", a.endpoint_id AS "endpointId", e.name AS "endpointName",
            w.id AS "websiteId", w.name AS "websiteName", v.error_code AS "errorCode", v.error_message AS "errorMessage", NULL AS address,
            e.type = 'PROBE' AS "isOfProbe",
            CASE s.status WHEN ${OUTCOME_CODE.up} THEN 'degraded' ELSE 'down' END AS severity,
            COALESCE(a.incident_started_at, v.created_at, now()) AS "startedAt", COALESCE(v.created_at, now()) AS at
       FROM alert a
       JOIN endpoint e ON e.id = a.endpoint_id
       JOIN website w ON w.id = e.website_id
       LEFT JOIN endpoint_state s ON s.endpoint_id = a.endpoint_id
       LEFT JOIN alert_event v ON v.id = a.trigger_event_id
      WHERE a.org_id = ANY ($1::uuid[]) AND a.triggered
        AND NOT EXISTS (SELECT FROM incident_member m WHERE m.endpoint_id = a.endpoint_id AND m.ended_at IS NULL)
      ORDER BY a.endpoint_id, a.incident_started_at LIMIT $2`,
    [orgIds, limit],
  );
