import { Injectable } from '@nestjs/common';
import { MaintenanceCoverage, type ScopeParts } from '../endpoint/suppression/maintenance-coverage';
import { type Author, authorName, storedName } from '../platform/access/author';
import type { EndpointAcknowledgement } from '../endpoint/suppression/suppression.dto';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { lockIncidents } from './incident-queries';
import {
  INCIDENT_COLUMNS,
  type IncidentKind,
  type IncidentRow,
  type IncidentState,
  type IncidentStatus,
  MEMBER_COLUMNS,
  MEMBER_OUTAGES,
  type MemberRow,
  UPDATE_COLUMNS,
  type UpdateRow,
} from './incident-row';

/** The limit up to which filtered lists are counted. */
const MOST_COUNTED = 1000;
const MOST_PAST = 20;

const BY_STATE: Readonly<Record<IncidentState, string>> = {
  open: 'i.ended_at IS NULL',
  ended: 'i.ended_at IS NOT NULL AND i.merged_into IS NULL',
  merged: 'i.merged_into IS NOT NULL',
};

// Cost: one row by its unique key. Waits for the transaction that has locked it.
const NEXT_NUMBER = `
  INSERT INTO incident_sequence (org_id, last) VALUES ($1, 1)
  ON CONFLICT (org_id) DO UPDATE SET last = incident_sequence.last + 1 RETURNING last`;

const INSERT_UPDATE = `
  INSERT INTO incident_update (id, incident_id, org_id, at, by_name, person_id, status, text, public, automatic)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** The author in an audit log entry. A user is shown with the current name, and others as in the acknowledgement. */
const WHO_TOOK = `CASE via WHEN 'acknowledge_link' THEN 'link' WHEN 'auth_off' THEN 'AUTH=off' ELSE ${authorName('key_name', 'person_id')} END`;

export interface IncidentFilter {
  state: IncidentState | undefined;
  kind: IncidentKind | undefined;
  public: boolean | undefined;
  endpointId: string | null;
  websiteId: string | null;
  from: Date | undefined;
  to: Date | undefined;
}

/** An update that is about to be stored. */
export interface NewUpdate extends Author {
  status: IncidentStatus | null;
  text: string;
  public: boolean;
  automatic: boolean;
  at: Date;
}

/**
 * Runs single statements on incidents, their members, and updates. Take locks in this order: the organization's
 * sequence (if members move, join, or leave, or a number is assigned), then incidents by ID, then members.
 */
@Injectable()
export class IncidentStore {
  constructor(
    private readonly database: Database,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /** Throws: `not_found`. */
  async read(sql: Sql, orgId: string, id: string): Promise<IncidentRow> {
    const where = 'WHERE i.org_id = $1 AND i.id = $2';
    return found(await sql.query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incident i ${where}`, [orgId, id]));
  }

  /**
   * Locks an incident until the caller's transaction ends. Endpoints that join or leave it, and updates to it, wait.
   * Throws: `not_found`.
   */
  async lock(tx: Tx, orgId: string, id: string): Promise<IncidentRow> {
    const [row] = await this.lockSome(tx, orgId, [id]);
    if (!row) throw problems.notFound();
    return row;
  }

  /** Locks and returns the incidents that exist, in ID order. */
  lockSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<IncidentRow[]> {
    return tx.query<IncidentRow>(
      `SELECT ${INCIDENT_COLUMNS} FROM incident i WHERE i.org_id = $1 AND i.id = ANY ($2::uuid[]) ORDER BY i.id FOR UPDATE`,
      [orgId, ids],
    );
  }

  /**
   * Returns the organization's next number. From then on, nothing joins or leaves its incidents until the transaction
   * ends.
   */
  async nextNumber(tx: Tx, orgId: string): Promise<number> {
    const [row] = await tx.query<{ last: number }>(NEXT_NUMBER, [orgId]);
    return row?.last ?? 1;
  }

  /** Takes the same lock without using up a number. */
  async lockSequence(tx: Tx, orgId: string): Promise<void> {
    await lockIncidents(tx, [orgId]);
  }

  /**
   * Returns incidents after the position `after`, newest start first. Cost: an index scan of the organization's
   * incidents from there. With a filter, it continues until the page is full, with one lookup for each incident when
   * filtering by endpoint or website.
   */
  async page(orgId: string, filter: IncidentFilter, after: string | null, count: number): Promise<IncidentRow[]> {
    const parameters: unknown[] = [];
    const where = await this.conditions(orgId, filter, parameters);
    if (after !== null) {
      const [at = '', id = ''] = after.split(' ');
      parameters.push(new Date(Number(at)), id);
      where.push(`(i.started_at, i.id) < ($${parameters.length - 1}::timestamptz, $${parameters.length}::uuid)`);
    }
    parameters.push(count);
    return this.database.query<IncidentRow>(
      `SELECT ${INCIDENT_COLUMNS} FROM incident i WHERE ${where.join(' AND ')}
        ORDER BY i.started_at DESC, i.id DESC LIMIT $${parameters.length}`,
      parameters,
    );
  }

  /** Returns the length of the whole list, or `null` if it is longer than a thousand. */
  async count(orgId: string, filter: IncidentFilter): Promise<number | null> {
    const parameters: unknown[] = [];
    const where = await this.conditions(orgId, filter, parameters);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT FROM incident i WHERE ${where.join(' AND ')} LIMIT ${MOST_COUNTED + 1}) AS counted`,
      parameters,
    );
    const count = row?.count ?? 0;
    return count > MOST_COUNTED ? null : count;
  }

  /**
   * Returns members, open ones first, then by start. A member that recovers between two pages is shown twice, but no
   * member is left out. Cost: reads that many rows, by an index in this order, and the outages of each.
   */
  members(sql: Sql, id: string, after: string | null, count: number): Promise<MemberRow[]> {
    const [isOver = '', at = '', endpointId = ''] = after?.split(' ') ?? [];
    const behind =
      after === null ? '' : 'AND (m.ended_at IS NOT NULL, m.started_at, m.endpoint_id) > ($3::boolean, $4, $5::uuid)';
    return sql.query<MemberRow>(
      `SELECT ${MEMBER_COLUMNS} FROM incident_member m ${MEMBER_OUTAGES} WHERE m.incident_id = $1 ${behind}
        ORDER BY m.ended_at IS NOT NULL, m.started_at, m.endpoint_id LIMIT $2`,
      after === null ? [id, count] : [id, count, isOver === '1', new Date(Number(at)), endpointId],
    );
  }

  /** Returns all updates, newest first. */
  updates(sql: Sql, id: string): Promise<UpdateRow[]> {
    return sql.query<UpdateRow>(
      `SELECT ${UPDATE_COLUMNS} FROM incident_update u WHERE u.incident_id = $1 ORDER BY u.at DESC, u.id DESC`,
      [id],
    );
  }

  /**
   * Returns earlier acknowledgements, newest first. Acknowledgements that are over are only in the audit log. Cost: the
   * incident's audit log entries for them, by index.
   */
  async pastInHand(sql: Sql, { orgId, id, ackAt }: IncidentRow): Promise<EndpointAcknowledgement[]> {
    const rows = await sql.query<{ taken: EndpointAcknowledgement }>(
      `SELECT after -> 'in_hand' || jsonb_build_object('by', ${WHO_TOOK}) AS taken FROM audit_log
        WHERE org_id = $1 AND resource_id = $2 AND after #>> '{in_hand,at}' <> $3 ORDER BY id DESC LIMIT ${MOST_PAST}`,
      [orgId, id, ackAt?.toISOString() ?? ''],
    );
    return rows.map(({ taken }) => taken);
  }

  /** Adds an update without changing the incident. Returns the update's ID. */
  async addUpdate(tx: Tx, { orgId, id }: Pick<IncidentRow, 'orgId' | 'id'>, update: NewUpdate): Promise<string> {
    const updateId = newUuid();
    const { at, personId, status, text, automatic } = update;
    const values = [at, storedName(update), personId, status, text, update.public, automatic];
    await tx.query(INSERT_UPDATE, [updateId, id, orgId, ...values]);
    return updateId;
  }

  private async conditions(orgId: string, filter: IncidentFilter, parameters: unknown[]): Promise<string[]> {
    const bound = (value: unknown): string => `$${parameters.push(value)}`;
    const where = [`i.org_id = ${bound(orgId)}`];
    where.push(filter.state ? BY_STATE[filter.state] : 'i.merged_into IS NULL');
    if (filter.kind) where.push(`i.kind = ${bound(filter.kind)}`);
    if (filter.public !== undefined) where.push(`i.public_at IS ${filter.public ? 'NOT ' : ''}NULL`);
    if (filter.from) where.push(`i.started_at >= ${bound(filter.from)}`);
    if (filter.to) where.push(`i.started_at < ${bound(filter.to)}`);
    if (filter.endpointId !== null) {
      const parts = await this.coverage.partsOfEndpoint(this.database, orgId, filter.endpointId);
      where.push(about('endpoint_id', bound(filter.endpointId), parts, bound));
    }
    if (filter.websiteId !== null) {
      const parts = await this.coverage.partsOfWebsite(this.database, orgId, filter.websiteId);
      where.push(about('website_id', bound(filter.websiteId), parts, bound));
    }
    return where;
  }
}

/**
 * Matches incidents that it is or was a member of, and manual incidents whose scope covers it or a part of it. `parts`
 * is `null` if it no longer exists.
 */
function about(column: string, value: string, parts: ScopeParts | null, bound: (value: unknown) => string): string {
  const members = `i.id IN (SELECT m.incident_id FROM incident_member m WHERE m.${column} = ${value})`;
  if (parts === null) return members;
  return `(${members} OR i.kind = 'manual' AND (i.scope_all OR i.scope_website_ids && ${bound(parts.websiteIds)}::uuid[]
    OR i.scope_endpoint_ids && ${bound(parts.endpointIds)}::uuid[] OR i.scope_tags && ${bound(parts.tags)}::text[]))`;
}

function found([row]: readonly IncidentRow[]): IncidentRow {
  if (!row) throw problems.notFound();
  return row;
}
