import { RULE_COLUMNS, type StoredRule } from '../../alert-rule/alert-rule';
import type { Tx } from '../../platform/database/database';

/**
 * An alert with the names of its endpoint and website, as stored in its events. Read while the alert's row is locked.
 */
export interface AlertSnapshot extends StoredRule {
  id: string;
  orgId: string;
  type: string;
  /** The contact that the alert uses, or `null` if it has its own config. */
  contactId: string | null;
  destination: string | null;
  description: string;
  enabled: boolean;
  triggered: boolean;
  /** When the next reminder is due, and how many reminders the open episode has had. */
  remindAt: Date | null;
  reminders: number;
  /** The number of episodes so far. While triggered, this is the number of the open one. */
  episodeNo: number;
  episodeStartedAt: Date | null;
  triggerEventId: string | null;
  endpointId: string;
  endpointName: string;
  endpointUrl: string;
  endpointType: string;
  websiteId: string;
  websiteName: string;
  websiteUrl: string;
}

const RULE = Object.entries(RULE_COLUMNS)
  .map(([field, column]) => `a.${column} AS "${field}"`)
  .join(', ');
const COLUMNS = `a.id, a.org_id AS "orgId", a.contact_id AS "contactId", a.type, a.destination, a.description, a.enabled, a.triggered,
  ${RULE}, a.remind_at AS "remindAt", a.reminders, a.incident_no AS "episodeNo",
  a.incident_started_at AS "episodeStartedAt", a.trigger_event_id AS "triggerEventId",
  e.id AS "endpointId", e.name AS "endpointName", e.url AS "endpointUrl", e.type AS "endpointType",
  w.id AS "websiteId", w.name AS "websiteName", w.url AS "websiteUrl"`;

/**
 * Returns a statement that reads and locks the alerts (`a`) that match `where`. It locks in ID order, like every
 * statement that locks several alerts, to prevent deadlocks. `source` may add FROM items in front. Endpoints and
 * websites are joined in a second step, only to the selected alerts. In one step, the planner might read every endpoint
 * just to find that no alert changes.
 */
export const lockAlertsSql = (where: string, source = ''): string => `
  WITH a AS MATERIALIZED (SELECT a.* FROM ${source} alert a WHERE ${where} ORDER BY a.id FOR UPDATE OF a)
  SELECT ${COLUMNS}
  FROM a
  JOIN endpoint e ON e.id = a.endpoint_id
  JOIN website w ON w.id = e.website_id
  ORDER BY a.id`;

/** The fields of a locked alert that are needed to end its episode. */
export interface LockedAlert {
  id: string;
  endpointId: string;
  triggered: boolean;
}

/** Returns a statement that locks the alerts (`a`) that match `where`, in ID order. */
export const lockSql = (where: string): string =>
  `SELECT a.id, a.endpoint_id AS "endpointId", a.triggered FROM alert a WHERE ${where} ORDER BY a.id FOR UPDATE`;

/** An alert with an open episode, and its endpoint's streaks. */
export interface OpenAlert extends AlertSnapshot {
  failures: number;
  successes: number;
  /** When the endpoint became good under the alert's condition, or `null` while it is bad. */
  goodSince: Date | null;
}

/** Returns the locked alerts that have an open episode, in ID order. Cost: no statement if there are none. */
export async function readOpen(tx: Tx, alerts: readonly Pick<LockedAlert, 'id' | 'triggered'>[]): Promise<OpenAlert[]> {
  const ids = alerts.filter(({ triggered }) => triggered).map(({ id }) => id);
  if (ids.length === 0) return [];
  return tx.query<OpenAlert>(
    `SELECT ${COLUMNS}, COALESCE(s.consecutive_failures, 0) AS failures, COALESCE(s.consecutive_successes, 0) AS successes,
       CASE a.condition WHEN 'degraded' THEN s.good_since ELSE s.up_since END AS "goodSince"
     FROM alert a
     JOIN endpoint e ON e.id = a.endpoint_id
     JOIN website w ON w.id = e.website_id
     LEFT JOIN endpoint_state s ON s.endpoint_id = a.endpoint_id
     WHERE a.id = ANY ($1::uuid[]) ORDER BY a.id`,
    [ids],
  );
}
