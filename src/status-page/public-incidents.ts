import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import type { Coverable } from '../endpoint/suppression/cover';
import type { MemberTime, PublicIncident } from './page-incidents';
import { opaquePattern } from './page-maintenance';

/**
 * The maximum per incident. It also limits updates by users, but not those that the service adds when an incident ends.
 */
const MAX_UPDATES = 100;
/** The maximum number of characters in all texts that are read together, except the newest text of each incident. */
const MAX_CHARACTERS = 400_000;

/** Selects incidents that started before `until` and are either open or ended no earlier than `from`. */
export interface IncidentRange {
  from: Date;
  until: Date;
  limit: number;
  /** Selects only the incident with this public ID. */
  id?: string;
}

type Row = Omit<PublicIncident, 'members'> & { members: MemberTime[] | null };

/** The maximum number of outages that are read for each incident. */
const MAX_OUTAGES = 1000;

/** Reads the public updates of incidents. An incident that isn't public leaves no trace. */
@Injectable()
export class PublicIncidents {
  constructor(private readonly database: Database) {}

  /**
   * Returns the incidents that affect endpoints of one organization. Open ones come first, then the newest. Cost: one
   * statement.
   */
  async read(shown: readonly Coverable[], { from, until, limit, id }: IncidentRange): Promise<PublicIncident[]> {
    const [first] = shown;
    if (!first) return [];
    const rows = await this.database.query<Row>(INCIDENTS, [
      first.orgId,
      from,
      until,
      shown.map(({ id }) => id),
      [...new Set(shown.map(({ websiteId }) => websiteId))],
      [...new Set(shown.flatMap(({ tags }) => tags))],
      limit,
      MAX_UPDATES,
      MAX_CHARACTERS,
      id === undefined ? null : opaquePattern(id),
    ]);
    return rows.map((row) => ({ ...row, members: row.members ?? [] }));
  }
}

/**
 * Cost: a range scan of an index that contains only the public incidents of one organization, which nearly always finds
 * no row. For each incident, it reads the shown members by primary key, and the newest updates. For an incident that
 * reopened, it also reads the outages of its members.
 */
const INCIDENTS = `
  WITH found AS (
    SELECT i.*, member.times,
           CASE WHEN member.times IS NOT NULL AND i.outage_count > 1 THEN (
             SELECT jsonb_agg(jsonb_build_object('id', o.endpoint_id, 'from', ${epochMs('o.started_at')}, 'until', ${epochMs('COALESCE(o.ended_at, i.ended_at)')}))
               FROM (SELECT * FROM incident_outage o WHERE o.incident_id = i.id AND o.endpoint_id = ANY ($4::uuid[])
                      ORDER BY o.started_at DESC LIMIT ${MAX_OUTAGES}) o) END AS outages, row_number() OVER (ORDER BY i.ended_at IS NOT NULL, i.started_at DESC, i.id DESC) AS place
      FROM incident i
      LEFT JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('id', m.endpoint_id, 'from', ${epochMs('m.started_at')}, 'until', ${epochMs('m.ended_at')})) AS times
          FROM incident_member m WHERE m.incident_id = i.id AND m.endpoint_id = ANY ($4::uuid[])) member ON true
     WHERE i.org_id = $1 AND i.public_at IS NOT NULL AND COALESCE(i.ended_at, 'infinity') >= $2 AND i.started_at < $3
       AND i.merged_into IS NULL
       AND (member.times IS NOT NULL OR i.scope_all OR i.scope_endpoint_ids && $4::uuid[]
            OR i.scope_website_ids && $5::uuid[] OR i.scope_tags && $6::text[])
       AND ($10::text IS NULL OR encode(sha256(convert_to(i.id::text, 'UTF8')), 'hex') LIKE $10)
     ORDER BY place LIMIT $7),
  told AS (
    SELECT f.place, newest.*, sum(length(newest.text)) OVER (ORDER BY f.place, newest.nth) AS characters
      FROM found f
     CROSS JOIN LATERAL (
       SELECT u.*, row_number() OVER (ORDER BY u.id DESC) AS nth
         FROM incident_update u WHERE u.incident_id = f.id AND u.public ORDER BY u.id DESC LIMIT $8 + 1) newest),
  kept AS (SELECT told.*, nth = 1 OR (nth <= $8 AND characters <= $9) AS shown FROM told)
  SELECT f.id, f.org_id AS "orgId", f.severity, f.title, f.status, f.started_at AS "startedAt", f.ended_at AS "endedAt",
         f.public_at AS "publicAt", f.scope_all AS "coversAll", f.scope_website_ids AS "websiteIds",
         f.scope_endpoint_ids AS "endpointIds", f.scope_tags AS tags, f.times AS members, f.outages,
         said.updates, said.more
    FROM found f
    JOIN (SELECT place, bool_or(NOT shown) AS more,
                 jsonb_agg(jsonb_build_object('at', ${epochMs('at')}, 'editedAt', ${epochMs('edited_at')}, 'status', status, 'text', text)
                           ORDER BY nth) FILTER (WHERE shown) AS updates
            FROM kept GROUP BY place) said USING (place)
   ORDER BY f.place`;
