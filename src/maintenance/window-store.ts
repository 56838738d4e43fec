import { Injectable } from '@nestjs/common';
import { countChange } from '../audit/changed-bytes';
import { MaintenanceCoverage, type ScopeParts } from '../endpoint/suppression/maintenance-coverage';
import { coversSql, type MaintenanceScope } from '../endpoint/suppression/cover';
import { storedName } from '../platform/access/author';
import { Database, type Tx } from '../platform/database/database';
import { newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import type { WindowStatus } from './maintenance-window.dto';
import { MOST_PLANNED, tooManyPlanned } from './occurrences';
import { runningUntil, selectWindows, type WindowRow } from './window-row';

/** The maximum number of an organization's windows that are not over according to their times. */
export const MOST_OPEN = 1000;
/**
 * The maximum number of IDs and tags in the scopes of all windows. With a hundred times as many, a batch of checks took
 * seconds.
 */
const MOST_NAMED = 10_000;
/**
 * The maximum number including windows that are over, which are kept for 400 days. It is enough for a pipeline that
 * deploys fifty times a day.
 */
const MOST = 20_000;

const ACTIVE = `${runningUntil('$2')} IS NOT NULL`;
const BY_STATUS: Readonly<Record<WindowStatus, string>> = {
  active: ACTIVE,
  scheduled: `NOT (${ACTIVE}) AND m.listed_at > $2`,
  ended: `NOT (${ACTIVE}) AND m.listed_at <= $2`,
};

/** SQL condition: the scope may cover any of the requested resources. */
const coveredBy = (first: number): string =>
  coversSql('s', `$${first}::uuid[]`, `$${first + 1}::uuid[]`, `$${first + 2}::text[]`);

/** The size of a scope's row with its indexes, but without the names in it. */
const ROW_BYTES = 150;
const INSERT_SCOPES = `
  INSERT INTO maintenance_scope (id, org_id, covers_all, website_ids, endpoint_ids, tags)
  SELECT id, org_id, covers_all, website_ids, endpoint_ids, tags FROM json_populate_recordset(NULL::maintenance_scope, $1::json)`;

/** The columns of a window that are written, except its ID and organization. */
const SAVED = [
  'name',
  'description',
  'scope_id',
  'starts_at',
  'ends_at',
  'cron',
  'timezone',
  'duration_seconds',
  'mute',
  'exclude_from_uptime',
  'public',
  'created_by',
  'created_by_id',
  'created_at',
  'updated_at',
  'listed_at',
  'external_key',
] as const;
const SENT = 'json_populate_recordset(NULL::maintenance_window, $1::json)';
const INSERT = `INSERT INTO maintenance_window (id, org_id, ${SAVED.join(', ')}) SELECT id, org_id, ${SAVED.join(', ')} FROM ${SENT}`;
const UPDATE = `
  UPDATE maintenance_window m SET ${SAVED.map((name) => `${name} = r.${name}`).join(', ')}
    FROM ${SENT} r WHERE m.id = r.id AND m.org_id = r.org_id`;

// Cost: an index scan of the organization's windows, with one lookup for the end of each recurring one.
/**
 * Counts the names in the scopes of all windows that are not over, except `$2`. The recorder reads these names with
 * each batch.
 */
const COUNT_NAMED = `
  SELECT coalesce(sum(cardinality(s.website_ids) + cardinality(s.endpoint_ids) + cardinality(s.tags)), 0)::int AS named
    FROM maintenance_window m JOIN maintenance_scope s ON s.id = m.scope_id
   WHERE m.org_id = $1 AND m.id <> ALL ($2::uuid[]) AND (m.ends_at IS NULL OR m.ends_at > $3)`;

/** Counts up to `$3`. */
const COUNT_PLANNED = `
  SELECT count(*)::int AS planned
    FROM (SELECT FROM maintenance_occurrence WHERE org_id = $1 AND ends_at > $2 LIMIT $3) AS counted`;

const COUNT = `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE ends_at IS NULL OR ends_at > $2)::int AS open
    FROM maintenance_window WHERE org_id = $1`;

export interface WindowFilter {
  status: WindowStatus | undefined;
  endpointId: string | null;
  websiteId: string | null;
}

/** The rows of windows and their scopes. Scopes never change, so a different scope is a new row. */
@Injectable()
export class WindowStore {
  constructor(
    private readonly database: Database,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /**
   * Returns a page after the position `after`, newest start first. Cost: an index scan of the organization's windows
   * from that position on. With a filter it continues until the page is full, over at most 20,000 windows.
   */
  async page(
    orgId: string,
    now: Date,
    filter: WindowFilter,
    after: string | null,
    count: number,
  ): Promise<WindowRow[]> {
    const parameters: unknown[] = [orgId, now];
    const where = await this.conditions(orgId, filter, parameters);
    if (where === null) return [];
    if (after !== null) {
      const [at = '', id = ''] = after.split(' ');
      parameters.push(new Date(Number(at)), id);
      where.push(`(m.listed_at, m.id) < ($${parameters.length - 1}::timestamptz, $${parameters.length}::uuid)`);
    }
    parameters.push(count);
    return this.database.query<WindowRow>(
      `${selectWindows('$2')} WHERE ${where.join(' AND ')} ORDER BY m.listed_at DESC, m.id DESC LIMIT $${parameters.length}`,
      parameters,
    );
  }

  async count(orgId: string, now: Date, filter: WindowFilter): Promise<number> {
    const parameters: unknown[] = [orgId, now];
    const where = await this.conditions(orgId, filter, parameters);
    if (where === null) return 0;
    const [row] = await this.database.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM maintenance_window m JOIN maintenance_scope s ON s.id = m.scope_id
        WHERE $2::timestamptz IS NOT NULL AND ${where.join(' AND ')}`,
      parameters,
    );
    return row?.total ?? 0;
  }

  async read(orgId: string, id: string, now: Date): Promise<WindowRow> {
    return found(
      await this.database.query<WindowRow>(`${selectWindows('$3')} WHERE m.org_id = $1 AND m.id = $2`, [
        orgId,
        id,
        now,
      ]),
    );
  }

  /** Locks and returns a window until the caller's transaction ends. */
  async lock(tx: Tx, orgId: string, id: string, now: Date): Promise<WindowRow> {
    await tx.query('SELECT 1 FROM maintenance_window WHERE org_id = $1 AND id = $2 FOR UPDATE', [orgId, id]);
    return found(
      await tx.query<WindowRow>(`${selectWindows('$3')} WHERE m.org_id = $1 AND m.id = $2`, [orgId, id, now]),
    );
  }

  /** Locks several windows in ID order until the caller's transaction ends. Missing ones are omitted. */
  async lockSome(tx: Tx, orgId: string, ids: readonly string[], now: Date): Promise<Map<string, WindowRow>> {
    const some = 'org_id = $1 AND id = ANY ($2::uuid[])';
    await tx.query(`SELECT FROM maintenance_window WHERE ${some} ORDER BY id FOR UPDATE`, [orgId, ids]);
    const rows = await tx.query<WindowRow>(`${selectWindows('$3')} WHERE m.org_id = $1 AND m.id = ANY ($2::uuid[])`, [
      orgId,
      ids,
      now,
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Inserts windows of one organization. Throws: `quota_exceeded` if the scopes of all its windows would have too many
   * names.
   */
  async insert(tx: Tx, orgId: string, rows: readonly WindowRow[], now: Date): Promise<void> {
    await this.insertScopes(tx, orgId, rows, now);
    await tx.query(INSERT, [JSON.stringify(rows.map(columnsOf))]);
  }

  /**
   * Saves changed windows. `row.scopeId` is the previous ID if the scope is the same. Throws: `quota_exceeded` like
   * `insert`.
   */
  async update(tx: Tx, orgId: string, changes: readonly SavedWindow[], now: Date): Promise<void> {
    const rescoped = changes.filter(({ row, before }) => row.scopeId !== before.scopeId).map(({ row }) => row);
    if (rescoped.length > 0) {
      await takeTurn(tx, orgId);
      await this.insertScopes(tx, orgId, rescoped, now);
    }
    await tx.query(UPDATE, [JSON.stringify(changes.map(({ row }) => columnsOf(row)))]);
  }

  async remove(tx: Tx, { orgId, id }: WindowRow): Promise<void> {
    await tx.query('DELETE FROM maintenance_window WHERE org_id = $1 AND id = $2', [orgId, id]);
  }

  /** Call this after the occurrences have been written. Throws: `quota_exceeded` if too many are planned. */
  async claimOccurrences(tx: Tx, orgId: string, now: Date): Promise<void> {
    const [use] = await tx.query<{ planned: number }>(COUNT_PLANNED, [orgId, now, MOST_PLANNED + 1]);
    if ((use?.planned ?? 0) > MOST_PLANNED) throw tooManyPlanned();
  }

  /**
   * Checks that the organization may have this many more windows. Parallel creations in an organization wait for each
   * other. Throws: `quota_exceeded`.
   */
  async claim(tx: Tx, orgId: string, wanted: number, now: Date): Promise<void> {
    await takeTurn(tx, orgId);
    const [use] = await tx.query<{ total: number; open: number }>(COUNT, [orgId, now]);
    const [total, open] = [use?.total ?? 0, use?.open ?? 0];
    if (open + wanted > MOST_OPEN)
      throw problems.quotaExceeded(
        { name: 'maintenance_windows', limit: MOST_OPEN, used: open },
        'maintenance windows that have not ended',
      );
    if (total + wanted > MOST)
      throw problems.quotaExceeded({ name: 'maintenance_windows', limit: MOST, used: total }, 'maintenance windows');
  }

  private async claimNames(tx: Tx, orgId: string, rows: readonly WindowRow[], now: Date): Promise<void> {
    const namedBy = (row: WindowRow): number => row.websiteIds.length + row.endpointIds.length + row.tags.length;
    const [wanted, most] = [rows.reduce((sum, row) => sum + namedBy(row), 0), MOST_NAMED];
    if (wanted === 0) return;
    const [use] = await tx.query<{ named: number }>(COUNT_NAMED, [orgId, rows.map(({ id }) => id), now]);
    const used = use?.named ?? 0;
    if (used + wanted > most)
      throw problems.quotaExceeded(
        { name: 'maintenance_scopes', limit: most, used },
        'IDs and tags in the scopes of maintenance windows that have not ended',
      );
  }

  private async insertScopes(tx: Tx, orgId: string, rows: readonly WindowRow[], now: Date): Promise<void> {
    await this.claimNames(tx, orgId, rows, now);
    for (const { websiteIds, endpointIds, tags } of rows)
      countChange(
        tx,
        orgId,
        ROW_BYTES + 16 * (websiteIds.length + endpointIds.length) + Buffer.byteLength(tags.join('')),
      );
    const scopes = rows.map((row) => ({
      id: row.scopeId,
      org_id: orgId,
      covers_all: row.coversAll,
      website_ids: row.websiteIds,
      endpoint_ids: row.endpointIds,
      tags: row.tags,
    }));
    await tx.query(INSERT_SCOPES, [JSON.stringify(scopes)]);
  }

  /** Returns `null` if nothing can match, because the filter refers to a resource that does not exist. */
  private async conditions(orgId: string, filter: WindowFilter, parameters: unknown[]): Promise<string[] | null> {
    const where = ['m.org_id = $1'];
    if (filter.status) where.push(BY_STATUS[filter.status]);
    const wanted: (ScopeParts | null)[] = [];
    if (filter.endpointId !== null)
      wanted.push(await this.coverage.partsOfEndpoint(this.database, orgId, filter.endpointId));
    if (filter.websiteId !== null)
      wanted.push(await this.coverage.partsOfWebsite(this.database, orgId, filter.websiteId));
    for (const parts of wanted) {
      if (parts === null) return null;
      where.push(coveredBy(parameters.length + 1));
      parameters.push(parts.websiteIds, parts.endpointIds, parts.tags);
    }
    return where;
  }
}

/** Serializes changes that count existing rows, within an organization. */
async function takeTurn(tx: Tx, orgId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`maintenance windows of ${orgId}`]);
}

const sameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** Returns the ID of the scope, which is the previous ID if the scope is the same. */
export const scopeIdOf = (scope: MaintenanceScope, before: WindowRow | null): string =>
  before &&
  scope.coversAll === before.coversAll &&
  sameItems(scope.websiteIds, before.websiteIds) &&
  sameItems(scope.endpointIds, before.endpointIds) &&
  sameItems(scope.tags, before.tags)
    ? before.scopeId
    : newUuid();

function found([row]: readonly WindowRow[]): WindowRow {
  if (!row) throw problems.notFound();
  return row;
}

export interface SavedWindow {
  row: WindowRow;
  before: WindowRow;
}

const columnsOf = (row: WindowRow): Record<'id' | 'org_id' | (typeof SAVED)[number], unknown> => ({
  id: row.id,
  org_id: row.orgId,
  name: row.name,
  description: row.description,
  scope_id: row.scopeId,
  starts_at: row.startsAt,
  ends_at: row.endsAt,
  cron: row.cron,
  timezone: row.timezone,
  duration_seconds: row.durationSeconds,
  mute: row.mute,
  exclude_from_uptime: row.excludeFromUptime,
  public: row.public,
  created_by: storedName({ by: row.createdBy, personId: row.createdById }),
  created_by_id: row.createdById,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
  listed_at: row.listedAt,
  external_key: row.externalKey,
});
