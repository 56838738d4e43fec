import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import { currentAuthor } from '../audit/authorship';
import { countChange } from '../audit/changed-bytes';
import { type EndpointScope, problemsOfScope, refuseUnknown, toScope } from '../endpoint/search/scope';
import { storedName } from '../platform/access/author';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { TransactionEvents } from '../platform/events/transaction-events';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page, ShortPageQuery } from '../platform/http/page';
import { requireMatch } from '../platform/http/precondition/precondition';
import { tagged } from '../platform/http/precondition/entity-tags';
import { newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse } from '../platform/problem/findings';
import { type FieldProblem, problems } from '../platform/problem/problem';
import {
  type CreateIncidentDto,
  type IncidentDetailView,
  type IncidentEndpointView,
  type IncidentQuery,
  type IncidentView,
  scopeOf,
  settingsOf,
  toIncidentEndpointView,
  toIncidentUpdateView,
  toIncidentView,
  type UpdateIncidentDto,
} from './incident.dto';
import { IncidentChanged } from './incident-events';
import { type IncidentRow, type MemberRow } from './incident-row';
import { IncidentMetrics } from './incident.metrics';
import { MOST_MANUAL, refusalOfMerged } from './incident-rules';
import { type IncidentFilter, IncidentStore } from './incident-store';

/** The maximum number of endpoints included with an incident. */
const FIRST_ENDPOINTS = 100;
/** The size of a row, including its indexes but not its texts and scope. */
const ROW_BYTES = 500;

const INSERT = `
  INSERT INTO incident (id, org_id, number, kind, title, status, scope_all, scope_website_ids, scope_endpoint_ids, scope_tags,
                        started_at, opened_at, joined_at, public_at, created_by, created_by_id, created_at, updated_at)
  VALUES ($1, $2, $3, 'manual', $4, $5, $6, $7, $8, $9, $10, $10, $10, $11, $12, $13, $10, $10)`;

const SET = `
  UPDATE incident SET title = $3, scope_all = $4, scope_website_ids = $5, scope_endpoint_ids = $6, scope_tags = $7, updated_at = $8
   WHERE org_id = $1 AND id = $2`;

/**
 * Manages one organization's incidents, using the database's clock. Throws `not_found` for another organization's
 * resources.
 */
@Injectable()
export class IncidentService {
  constructor(
    private readonly database: Database,
    private readonly store: IncidentStore,
    private readonly cursors: Cursors,
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
    private readonly metrics: IncidentMetrics,
  ) {}

  /** Lists incidents, newest start first, without endpoints and updates. */
  async list(orgId: string, query: IncidentQuery): Promise<Page<IncidentView>> {
    const { state, kind, from, to } = query;
    if (from && to && from >= to)
      throw problems.invalidQuery([{ pointer: '?from', code: 'out_of_range', message: 'from must be before to' }]);
    const [endpointId, websiteId] = [parseId('endpoint', query.endpoint_id), parseId('website', query.website_id)];
    const filter: IncidentFilter = { state, kind, public: query.public, endpointId, websiteId, from, to };
    const page = await this.cursors.paginate<IncidentRow>({
      orgId,
      list: `incidents ${JSON.stringify(filter)}`,
      cursor: query.cursor,
      limit: query.limit ?? 1,
      rowsAtOnce: LARGE_ROWS,
      read: (after, count) => this.store.page(orgId, filter, after, count),
      idOf: ({ startedAt, id }) => `${startedAt.getTime()} ${id}`,
      total: () => this.store.count(orgId, filter),
    });
    return page.map(toIncidentView);
  }

  async get(orgId: string, id: string): Promise<IncidentDetailView> {
    return this.shown(this.database, await this.store.read(this.database, orgId, id));
  }

  async endpoints(orgId: string, id: string, query: ShortPageQuery): Promise<Page<IncidentEndpointView>> {
    const { endpointCount } = await this.store.read(this.database, orgId, id);
    const page = await this.cursors.paginate<MemberRow>({
      orgId,
      list: `incident-endpoints ${id}`,
      cursor: query.cursor,
      limit: query.limit ?? 1,
      read: (after, count) => this.store.members(this.database, id, after, count),
      idOf: ({ endedAt, startedAt, endpointId }) => `${endedAt ? 1 : 0} ${startedAt.getTime()} ${endpointId}`,
      total: () => endpointCount,
    });
    return page.map(toIncidentEndpointView);
  }

  /**
   * Creates a manual incident. An organization's creations wait for each other, so that two at the limit don't both
   * succeed.
   */
  create(orgId: string, dto: CreateIncidentDto): Promise<IncidentDetailView> {
    return this.database.transaction(async (tx) => {
      refuse(this.findingsInNew(dto));
      const scope = toScope(dto.scope);
      await refuseUnknown(tx, orgId, [{ sent: dto.scope }]);
      const number = await this.store.nextNumber(tx, orgId);
      await this.refuseTooMany(tx, orgId);
      const { title, text, status = 'investigating', public: isPublic = false } = dto;
      const [id, at, author] = [newUuid(), this.clock.now(), currentAuthor()];
      const { coversAll, websiteIds, endpointIds, tags } = scope;
      const values = [
        number,
        title.trim(),
        status,
        coversAll,
        websiteIds,
        endpointIds,
        tags,
        at,
        isPublic ? at : null,
        storedName(author),
        author.personId,
      ];
      await tx.query(INSERT, [id, orgId, ...values]);
      const first =
        text === undefined ? null : { ...author, status, text: text.trim(), public: isPublic, automatic: false, at };
      if (first) {
        await this.store.addUpdate(tx, { orgId, id }, first);
        tx.afterCommit(() => this.metrics.said(isPublic));
      }
      countChange(tx, orgId, ROW_BYTES + bytesOf(scope) + Buffer.byteLength(title + (text ?? '')));
      const row = await this.store.read(tx, orgId, id);
      const said = first && { status, text: first.text, public: isPublic };
      await recordChange(tx, { ...about(row), action: 'create', after: { ...settingsOf(row), update: said } });
      await this.events.emit(new IncidentChanged(row, 'opened'), tx);
      return this.shown(tx, row);
    });
  }

  /** Updates some fields: the title, and the scope of a manual incident. */
  update(orgId: string, id: string, dto: UpdateIncidentDto): Promise<IncidentDetailView> {
    return this.database.transaction(async (tx) => {
      const before = await this.store.lock(tx, orgId, id);
      requireMatch(tagSource(before));
      const refusal = refusalOfMerged(before);
      if (refusal) throw refusal;
      const wrong = [...this.findingsIn(dto).invalid, ...unfitting(before, dto)];
      if (wrong.length > 0) throw problems.validationFailed(wrong);
      const known = scopeOf(before);
      if (dto.scope) await refuseUnknown(tx, orgId, [{ sent: dto.scope, known }]);
      const scope = dto.scope ? toScope(dto.scope) : known;
      const title = dto.title === undefined ? before.title : (dto.title?.trim() ?? null);
      if (title === before.title && isDeepStrictEqual(scope, known)) return this.shown(tx, before);
      const { coversAll, websiteIds, endpointIds, tags } = scope;
      await tx.query(SET, [orgId, id, title, coversAll, websiteIds, endpointIds, tags, this.clock.now()]);
      const after = await this.store.read(tx, orgId, id);
      countChange(tx, orgId, bytesOf(scope));
      await recordChange(tx, {
        ...about(after),
        action: 'update',
        before: settingsOf(before),
        after: settingsOf(after),
      });
      await this.events.emit(new IncidentChanged(after, 'updated'), tx);
      return this.shown(tx, after);
    });
  }

  /** Deletes a manual incident with its updates. Throws: `conflict` for a detected one. */
  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const row = await this.store.lock(tx, orgId, id);
      requireMatch(tagSource(row));
      if (row.kind === 'detected')
        throw problems.conflict('Only manual incidents can be deleted. A detected incident records what happened.');
      await this.events.emit(new IncidentChanged(row, 'deleted'), tx);
      await tx.query('DELETE FROM incident WHERE org_id = $1 AND id = $2', [orgId, id]);
      await recordChange(tx, { ...about(row), action: 'delete', before: settingsOf(row) });
    });
  }

  /** Returns the problems that would make `create` reject these fields. */
  findingsInNew({ scope, text, public: isPublic }: Partial<CreateIncidentDto>): Findings {
    const missing: FieldProblem[] =
      isPublic === true && text === undefined
        ? [{ pointer: '/text', code: 'required', message: 'text is required for a public update' }]
        : [];
    return { invalid: [...this.findingsIn({ scope }).invalid, ...missing], forbidden: [] };
  }

  /** Returns the problems that would make `update` reject these fields, for any incident. */
  findingsIn({ scope }: UpdateIncidentDto): Findings {
    return scope ? { invalid: problemsOfScope(scope), forbidden: [] } : NO_FINDINGS;
  }

  /** Returns the incident with its endpoints, updates, and past acknowledgements. Cost: three statements. */
  async shown(sql: Sql, row: IncidentRow): Promise<IncidentDetailView> {
    const isManual = row.kind === 'manual';
    const members = isManual ? [] : await this.store.members(sql, row.id, null, FIRST_ENDPOINTS);
    const past_acknowledgements = isManual ? [] : await this.store.pastInHand(sql, row);
    const updates = await this.store.updates(sql, row.id);
    const view = {
      ...toIncidentView(row),
      endpoints: members.map(toIncidentEndpointView),
      updates: updates.map(toIncidentUpdateView),
      past_acknowledgements,
    };
    return tagged(view, tagSource(row));
  }

  /**
   * The sequence is locked, so no other transaction is counting at the same time. Cost: an index scan of the open
   * incidents.
   */
  private async refuseTooMany(tx: Tx, orgId: string): Promise<void> {
    const [use] = await tx.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM incident WHERE org_id = $1 AND ended_at IS NULL AND kind = 'manual'`,
      [orgId],
    );
    const quota = { name: 'manual_incidents', limit: MOST_MANUAL, used: use?.open ?? 0 };
    if (quota.used >= quota.limit) throw problems.quotaExceeded(quota, 'open manual incidents');
  }
}

/** Returns the fields that don't apply to this kind of incident. */
function unfitting({ kind }: IncidentRow, { title, scope }: UpdateIncidentDto): FieldProblem[] {
  if (kind === 'detected')
    return scope
      ? [
          {
            pointer: '/scope',
            code: 'read_only',
            message: 'scope cannot be set for a detected incident: its scope is the endpoints in it',
          },
        ]
      : [];
  const missing = [...(title === null ? ['title'] : []), ...(scope === null ? ['scope'] : [])];
  return missing.map((name) => ({
    pointer: `/${name}`,
    code: 'required',
    message: `${name} is required for manual incidents`,
  }));
}

const bytesOf = ({ websiteIds, endpointIds, tags }: Omit<EndpointScope, 'coversAll'>): number =>
  16 * (websiteIds.length + endpointIds.length) + Buffer.byteLength(tags.join(''));

/** Returns the common fields of an audit log entry. */
export const about = ({ orgId, id }: Pick<IncidentRow, 'orgId' | 'id'>) =>
  ({ orgId, resource: 'incident', id }) as const;

const tagSource = (row: IncidentRow) => ({ id: row.id, ...settingsOf(row) });
