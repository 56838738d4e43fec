import type { DeliveryDetail, DeliveryState } from '../../delivery/delivery';
import { contactColumns, type DeliveryContactRow } from '../../delivery/delivery-contact';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import type { Sql } from '../../platform/database/database';
import { isSuppressedSql } from '../suppression/suppression-queries';
import type { PlannedKind, ToldKind } from './incident-timeline.dto';

/** The maximum numbers of outages, of messages, and of planned messages. */
export const MOST_ITEMS = 200;
export const MOST_PLANNED = 50;
/** The maximum number of names with each message. */
const NAMED = 5;
/** The maximum number of planned messages that are read, before those that maintenance mutes are left out. */
const MOST_READ = 500;

export interface OutageItem {
  endpointId: string;
  endpointName: string;
  startedAt: Date;
  endedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
  outage: number;
}

export interface ToldItem extends DeliveryContactRow {
  at: Date;
  queuedAt: Date;
  finishedAt: Date | null;
  channelType: string;
  kind: ToldKind;
  state: DeliveryState;
  detail: DeliveryDetail | null;
  error: string | null;
  count: number;
  endpoints: string[];
}

export interface PlannedItem extends DeliveryContactRow {
  at: Date;
  kind: PlannedKind;
  channelType: string;
  alertId: string;
  orgId: string;
  endpointId: string;
  endpointName: string;
}

/** Cost: the outages of the incident, by its primary key. */
const OUTAGES = `
  SELECT o.endpoint_id AS "endpointId", m.endpoint_name AS "endpointName", o.started_at AS "startedAt",
         COALESCE(o.ended_at, m.ended_at) AS "endedAt", o.error_code AS "errorCode", o.error_message AS "errorMessage", o.outage
    FROM (SELECT *, row_number() OVER (PARTITION BY endpoint_id ORDER BY started_at)::int AS outage
            FROM incident_outage WHERE incident_id = $1) o
    JOIN incident_member m ON m.incident_id = o.incident_id AND m.endpoint_id = o.endpoint_id
   ORDER BY o.started_at DESC, o.endpoint_id LIMIT $2`;

/**
 * Deliveries that were sent in one message have the same time and result, so they are one item. Cost: the deliveries of
 * the incident, by index, and one contact for each item.
 */
const TOLD = `
  SELECT told.*, ${contactColumns('told')} FROM (
    SELECT n.org_id, n.contact_id, n.channel_type AS "channelType", n.kind, n.state, n.detail, n.error,
           COALESCE(n.last_attempt_at, n.created_at) AS at, min(n.created_at) AS "queuedAt", max(n.finished_at) AS "finishedAt",
           count(*)::int AS count, (array_agg(DISTINCT n.notice #>> '{endpoint,name}'))[1:${NAMED}] AS endpoints
      FROM notification n
     WHERE n.incident_id IN (SELECT id FROM incident WHERE org_id = $1 AND (id = $2 OR merged_into = $2))
       AND n.org_id = $1 AND n.kind IN ('triggered', 'resolved', 'reminder', 'acknowledged')
     GROUP BY n.org_id, n.contact_id, n.channel_type, n.destination, n.kind, n.state, n.detail, n.error, COALESCE(n.last_attempt_at, n.created_at)
     ORDER BY at DESC LIMIT $3) told`;

/**
 * Alert rules of failing endpoints that wait for their delay, and the next reminders of those that have triggered. Cost:
 * the open members, and the alert rules of each.
 */
const PLANNED = `
  SELECT p.*, ${contactColumns('p')} FROM (
    SELECT a.org_id, a.org_id AS "orgId", a.id AS "alertId", a.contact_id, a.type AS "channelType", m.endpoint_id AS "endpointId",
           m.endpoint_name AS "endpointName", CASE WHEN a.triggered THEN 'reminder' ELSE 'triggered' END AS kind,
           CASE WHEN a.triggered THEN a.remind_at
             ELSE CASE a.condition WHEN 'degraded' THEN s.bad_unmuted_since ELSE s.failing_unmuted_since END + a.after_seconds * interval '1 second' END AS at
      FROM incident_member m
      JOIN endpoint_state s ON s.endpoint_id = m.endpoint_id
      JOIN alert a ON a.endpoint_id = m.endpoint_id AND a.enabled
     WHERE m.incident_id = $1 AND m.ended_at IS NULL
       AND (a.triggered AND a.remind_at IS NOT NULL
            OR NOT a.triggered AND a.after_seconds > 0 AND (s.status = ${OUTCOME_CODE.down} OR a.condition = 'degraded' AND s.degraded_since IS NOT NULL))
       AND NOT ${isSuppressedSql('m.endpoint_id', '$2')}) p
   WHERE p.at IS NOT NULL ORDER BY p.at, p."endpointName", p."alertId" LIMIT ${MOST_READ}`;

/** Returns the newest outages of the incident's endpoints. */
export const readOutages = (sql: Sql, incidentId: string): Promise<OutageItem[]> =>
  sql.query<OutageItem>(OUTAGES, [incidentId, MOST_ITEMS + 1]);

/** Returns the newest messages about the incident, and those about incidents that were merged into it. */
export const readTold = (sql: Sql, orgId: string, incidentId: string): Promise<ToldItem[]> =>
  sql.query<ToldItem>(TOLD, [orgId, incidentId, MOST_ITEMS + 1]);

/** Returns the messages that will be sent next, soonest first. Maintenance isn't considered. */
export const readPlanned = (sql: Sql, incidentId: string, now: Date): Promise<PlannedItem[]> =>
  sql.query<PlannedItem>(PLANNED, [incidentId, now]);
