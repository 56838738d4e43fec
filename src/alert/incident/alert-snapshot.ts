import type { SealedConfig } from '../../delivery/sealed-config';
import type { AlertCondition } from './alert-transition';

/** An alert with the names of its endpoint and website as its events will keep them. Read under the alert's row lock. */
export interface AlertSnapshot {
  id: string;
  orgId: string;
  type: string;
  /** Still sealed: kept with deliveries when the alert is about to change. */
  config: SealedConfig;
  destination: string | null;
  description: string;
  enabled: boolean;
  condition: AlertCondition;
  triggered: boolean;
  failureThreshold: number;
  successThreshold: number;
  sendOnResolved: boolean;
  /** Counts the alert's incidents; the running one's number while triggered. */
  incidentNo: number;
  incidentStartedAt: Date | null;
  triggerEventId: string | null;
  endpointId: string;
  endpointName: string;
  endpointUrl: string;
  endpointType: string;
  websiteId: string;
  websiteName: string;
  websiteUrl: string;
}

const COLUMNS = `a.id, a.org_id AS "orgId", a.type, a.config, a.destination, a.description, a.enabled, a.condition, a.triggered,
  a.failure_threshold AS "failureThreshold", a.success_threshold AS "successThreshold",
  a.send_on_resolved AS "sendOnResolved", a.incident_no AS "incidentNo",
  a.incident_started_at AS "incidentStartedAt", a.trigger_event_id AS "triggerEventId",
  e.id AS "endpointId", e.name AS "endpointName", e.url AS "endpointUrl", e.type AS "endpointType",
  w.id AS "websiteId", w.name AS "websiteName", w.url AS "websiteUrl"`;

/**
 * A statement that reads and locks the alerts (`a`) chosen by `where`, in id order, as every statement that locks several
 * does: they cannot deadlock. `source` may put further FROM items in front. Endpoints and websites are joined to the chosen
 * ones only, hence two steps: in one the planner may read every endpoint to find that no alert changes.
 */
export const lockAlertsSql = (where: string, source = ''): string => `
  WITH a AS MATERIALIZED (SELECT a.* FROM ${source} alert a WHERE ${where} ORDER BY a.id FOR UPDATE OF a)
  SELECT ${COLUMNS}
  FROM a
  JOIN endpoint e ON e.id = a.endpoint_id
  JOIN website w ON w.id = e.website_id
  ORDER BY a.id`;
