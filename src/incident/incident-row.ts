import { authorName } from '../platform/access/author';
import { epochMs } from '../platform/database/epoch-ms';

/** The origin of an incident: alerts, or a user. */
export const INCIDENT_KINDS = ['detected', 'manual'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];

/**
 * Why the second endpoint joined. `people`: a user merged or split the incident. `single`: it has only one endpoint.
 */
export const INCIDENT_CAUSES = ['single', 'dependency', 'address', 'website', 'people'] as const;
export type IncidentCause = (typeof INCIDENT_CAUSES)[number];

export const INCIDENT_STATES = ['open', 'ended', 'merged'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** The statuses that an update can set. */
export const INCIDENT_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

/** The statuses of an incident that isn't over. */
export const OPEN_STATUSES = ['investigating', 'identified', 'monitoring'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

export const INCIDENT_SEVERITIES = ['down', 'degraded'] as const;
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

/** A row of `incident`. IDs are UUIDs. */
export interface IncidentRow {
  id: string;
  orgId: string;
  number: number;
  kind: IncidentKind;
  /** The severity of a detected incident. */
  severity: IncidentSeverity | null;
  cause: IncidentCause | null;
  /** The address, or the UUID of the website or the parent. */
  causeValue: string | null;
  /** The name of the website or the parent at that time, or `null` for the other causes. */
  causeName: string | null;
  /**
   * The endpoint that triggered first, for a detected incident. Later triggers are compared with it, and the summary
   * names it.
   */
  openerEndpointId: string | null;
  openerWebsiteId: string | null;
  openerAddress: string | null;
  openerName: string | null;
  openerErrorCode: string | null;
  title: string | null;
  /** The last status in an update, or `null` if there is none yet. */
  status: IncidentStatus | null;
  scopeAll: boolean;
  scopeWebsiteIds: string[];
  scopeEndpointIds: string[];
  scopeTags: string[];
  startedAt: Date;
  /** When the incident was recorded, and when the last endpoint joined. */
  openedAt: Date;
  joinedAt: Date;
  endedAt: Date | null;
  endpointCount: number;
  openCount: number;
  reopened: number;
  /** The number of periods during which at least one endpoint was failing, and when the last one started. */
  outageCount: number;
  lastStartedAt: Date | null;
  /** The length of the periods before the last one. */
  earlierDowntimeMs: number;
  /** The incident that this one was merged into. A merged incident has also ended. */
  mergedInto: string | null;
  /** When the first public update was posted, or `null` if the incident isn't public. */
  publicAt: Date | null;
  ackBy: string | null;
  ackPersonId: string | null;
  ackAt: Date | null;
  ackNote: string | null;
  ackUntil: Date | null;
  createdBy: string | null;
  createdById: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const stateOf = ({ mergedInto, endedAt }: Pick<IncidentRow, 'mergedInto' | 'endedAt'>): IncidentState =>
  mergedInto !== null ? 'merged' : endedAt === null ? 'open' : 'ended';

export interface MemberRow {
  incidentId: string;
  endpointId: string;
  websiteId: string;
  endpointName: string;
  websiteName: string;
  startedAt: Date;
  endedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
  held: boolean;
  outageCount: number;
  /** The length of the outages that have ended. */
  downtimeMs: number;
  /** The newest outages, newest first. `null` if the member was written by an instance running an older version. */
  outages: OutageRow[] | null;
}

/** One outage of a member. Times are in milliseconds since the epoch. */
export interface OutageRow {
  from: number;
  until: number | null;
  code: string | null;
  message: string | null;
}

/** The maximum number of outages that are listed for each member. */
export const MOST_OUTAGES = 50;

/** Returns the length of the outages that have ended. */
export const endedDowntimeMs = ({
  earlierDowntimeMs,
  startedAt,
  lastStartedAt,
  endedAt,
}: Pick<IncidentRow, 'earlierDowntimeMs' | 'startedAt' | 'lastStartedAt' | 'endedAt'>): number =>
  earlierDowntimeMs + (endedAt === null ? 0 : endedAt.getTime() - (lastStartedAt ?? startedAt).getTime());

/** Returns a member's outages, newest first. */
export const outagesOf = ({ outages, startedAt, endedAt, errorCode, errorMessage }: MemberRow): OutageRow[] =>
  outages ?? [{ from: startedAt.getTime(), until: endedAt?.getTime() ?? null, code: errorCode, message: errorMessage }];

/** Returns the length of a member's outages that have ended. */
export const memberDowntimeMs = (row: MemberRow): number =>
  row.outages !== null || row.endedAt === null ? row.downtimeMs : row.endedAt.getTime() - row.startedAt.getTime();

export interface UpdateRow {
  id: string;
  incidentId: string;
  at: Date;
  by: string | null;
  personId: string | null;
  status: IncidentStatus | null;
  text: string;
  public: boolean;
  automatic: boolean;
  editedAt: Date | null;
}

/** The columns of `incident` (`i`) as the fields of `IncidentRow`. */
export const INCIDENT_COLUMNS = `i.id, i.org_id AS "orgId", i.number, i.kind, i.severity, i.cause, i.cause_value AS "causeValue",
  i.cause_name AS "causeName", i.opener_endpoint_id AS "openerEndpointId", i.opener_website_id AS "openerWebsiteId",
  i.opener_address AS "openerAddress", i.opener_name AS "openerName", i.opener_error_code AS "openerErrorCode", i.title, i.status,
  i.scope_all AS "scopeAll", i.scope_website_ids AS "scopeWebsiteIds", i.scope_endpoint_ids AS "scopeEndpointIds", i.scope_tags AS "scopeTags",
  i.started_at AS "startedAt", i.opened_at AS "openedAt", i.joined_at AS "joinedAt", i.ended_at AS "endedAt",
  i.endpoint_count AS "endpointCount", i.open_count AS "openCount", i.reopened,
  i.outage_count AS "outageCount", COALESCE(i.last_started_at, i.started_at) AS "lastStartedAt", i.earlier_downtime_ms::float8 AS "earlierDowntimeMs",
  i.merged_into AS "mergedInto", i.public_at AS "publicAt",
  ${authorName('i.ack_by', 'i.ack_person_id')} AS "ackBy", i.ack_person_id AS "ackPersonId", i.ack_at AS "ackAt", i.ack_note AS "ackNote", i.ack_until AS "ackUntil",
  ${authorName('i.created_by', 'i.created_by_id')} AS "createdBy", i.created_by_id AS "createdById", i.created_at AS "createdAt", i.updated_at AS "updatedAt"`;

/** The columns of `incident_member` (`m`) as the fields of `MemberRow`. */
export const MEMBER_COLUMNS = `m.incident_id AS "incidentId", m.endpoint_id AS "endpointId", m.website_id AS "websiteId", m.endpoint_name AS "endpointName",
  m.website_name AS "websiteName", m.started_at AS "startedAt", m.ended_at AS "endedAt", m.error_code AS "errorCode",
  m.error_message AS "errorMessage", m.held, said.count AS "outageCount", said.ms AS "downtimeMs", said.outages`;

/** One outage (`o`) as an `OutageRow` in JSON. An outage can't last longer than its member (`m`) is in the incident. */
const OUTAGE_JSON = `jsonb_build_object('from', ${epochMs('o.started_at')}, 'until', ${epochMs('COALESCE(o.ended_at, m.ended_at)')},
  'code', o.error_code, 'message', o.error_message)`;

/** Joins the outages of each member (`m`) as `said`. Cost: a range scan of the primary key for each member. */
export const MEMBER_OUTAGES = `
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS count,
           COALESCE(sum(${epochMs('COALESCE(o.ended_at, m.ended_at)')} - ${epochMs('o.started_at')}), 0)::float8 AS ms,
           jsonb_agg(${OUTAGE_JSON} ORDER BY o.started_at DESC) FILTER (WHERE o.place <= ${MOST_OUTAGES}) AS outages
      FROM (SELECT o.*, row_number() OVER (ORDER BY o.started_at DESC) AS place FROM incident_outage o
             WHERE o.incident_id = m.incident_id AND o.endpoint_id = m.endpoint_id) o) said ON true`;

/** The columns of `incident_update` (`u`) as the fields of `UpdateRow`. */
export const UPDATE_COLUMNS = `u.id, u.incident_id AS "incidentId", u.at, ${authorName('u.by_name', 'u.person_id')} AS by, u.person_id AS "personId", u.status, u.text, u.public, u.automatic,
  u.edited_at AS "editedAt"`;

const camelCase = (column: string): string => column.replace(/_[a-z]/g, (part) => part.charAt(1).toUpperCase());

/** Converts an `incident` row that PostgreSQL wrote as JSON, as stored by triggers. */
export const incidentOfJson = (json: Readonly<Record<string, unknown>>): IncidentRow =>
  Object.fromEntries(
    Object.entries({ outage_count: 1, last_started_at: null, earlier_downtime_ms: 0, ...json }).map(
      ([column, value]) => [
        camelCase(column),
        /_(at|until)$/.test(column) && typeof value === 'string' ? new Date(value) : value,
      ],
    ),
  ) as unknown as IncidentRow;
