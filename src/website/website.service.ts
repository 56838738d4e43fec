import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { recordChange, recordChanges } from '../audit/audit-log';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { setOwner } from '../platform/database/set-owner';
import { updateRows } from '../platform/database/update-rows';
import { TransactionEvents } from '../platform/events/transaction-events';
import { Cursors } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { requireMatch } from '../platform/http/precondition/precondition';
import { tagged, taggedLike } from '../platform/http/precondition/entity-tags';
import { NIL_UUID, newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse } from '../platform/problem/findings';
import { MASK } from '../platform/secrets/mask';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import { type Condition, containing } from './containing';
import {
  type NewWebsiteDto,
  toWebsiteView,
  type UpdateWebsiteDto,
  type WebsiteQuery,
  type WebsiteRow,
  type WebsiteView,
} from './website.dto';
import { WebsitesDeleted, WebsiteStarted, WebsiteStopped } from './website-events';
import { WebsitePurgeJob } from './website-purge.job';
import { newPingKey, replacePingKey, withoutPingKey } from './ping-key';
import { tagSet } from './tags';
import { parseWebsiteUrl } from './website-url';
import { Website } from './website.entity';

const DEFAULT_LIMIT = 1000;
/** How long a request that deletes a website spends on removing rows. */
const PURGE_MS = 5 * SECOND_MS;

const COLUMNS = 'w.*, s.endpoint_count, s.last_checked_at, s.any_down, s.any_up';
const SELECT = `SELECT ${COLUMNS} FROM website w JOIN website_summary s ON s.website_id = w.id`;

/**
 * Limits the page before any join, and uses the complete sort order of the index on (org_id, id). With `org_id = $1
 * ORDER BY id`, the planner may scan all organizations by ID until it has found enough rows that belong to this one.
 */
const page = (filter = ''): string => `SELECT ${COLUMNS}
  FROM (SELECT * FROM website WHERE (org_id, id) > ($1::uuid, $2::uuid) AND org_id <= $1::uuid AND deleted_at IS NULL ${filter}
         ORDER BY org_id, id LIMIT $3) w
  JOIN website_summary s ON s.website_id = w.id ORDER BY w.id`;
const PAGE = page();

interface Sought {
  text: string | undefined;
  tag: string | undefined;
}

/**
 * Returns the conditions of a search, with parameters that follow those in `before`. Cost: reads the organization's
 * websites until the page is full, and once more for the count of a longer list. An index on tags would span all
 * organizations, and would have more websites tagged `production` than any organization has.
 */
function matching({ text, tag }: Sought, before: readonly unknown[]): Condition {
  const named =
    text === undefined ? { condition: '', parameters: before } : containing(`name || E'\\n' || url`, text, before);
  if (tag === undefined) return named;
  const parameters = [...named.parameters, tag];
  return { condition: `${named.condition} AND $${parameters.length}::text = ANY (tags)`, parameters };
}

/** The limit up to which matches are counted for `X-Total-Count`. */
const MOST_COUNTED = 1000;

/**
 * Manages an organization's websites. The first argument of every method identifies the organization. Methods throw
 * `not_found` for anything that belongs to another organization.
 */
@Injectable()
export class WebsiteService {
  constructor(
    private readonly database: Database,
    private readonly events: TransactionEvents,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
    private readonly purge: WebsitePurgeJob,
  ) {}

  /** Cost: one statement for the page with a few index lookups per website, and one for the stored count. */
  async list({ orgId, role }: Caller, query: WebsiteQuery): Promise<Page<WebsiteView>> {
    const sought = { text: query.q?.trim(), tag: query.tag };
    const isSearch = sought.text !== undefined || sought.tag !== undefined;
    const websites = await this.cursors.paginate<WebsiteRow>({
      orgId,
      list: query.tag === undefined ? 'websites' : `websites:${query.tag}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      idOf: (row) => row.id,
      read: (after, count) => this.pageOf([orgId, after ?? NIL_UUID, count], isSearch ? sought : null),
      total: async () => (isSearch ? this.found(orgId, sought) : (await this.listed(orgId)).websites),
    });
    return websites.map((row) => withoutPingKey(toWebsiteView(row), role));
  }

  private pageOf(place: readonly unknown[], sought: Sought | null): Promise<WebsiteRow[]> {
    if (sought === null) return this.database.query<WebsiteRow>(PAGE, place);
    const { condition, parameters } = matching(sought, place);
    return this.database.query<WebsiteRow>(page(condition), parameters);
  }

  /** Returns the number of matches up to a thousand, or `null` if there are more. */
  private async found(orgId: string, sought: Sought): Promise<number | null> {
    const { condition, parameters } = matching(sought, [orgId]);
    const [row] = await this.database.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM (
         SELECT FROM website WHERE org_id = $1 AND deleted_at IS NULL ${condition} LIMIT ${MOST_COUNTED + 1}) w`,
      parameters,
    );
    return row && row.found <= MOST_COUNTED ? row.found : null;
  }

  async get(orgId: string, id: string): Promise<WebsiteView> {
    return shown(await this.read(this.database, orgId, id));
  }

  /** Returns a website as the caller may see it. */
  async shownTo({ orgId, role }: Caller, id: string): Promise<WebsiteView> {
    const view = await this.get(orgId, id);
    return taggedLike(view, withoutPingKey(view, role));
  }

  /**
   * Replaces the `ping_key`. URLs with the old key become invalid immediately. The audit log entry contains neither
   * key.
   */
  rotatePingKey(orgId: string, id: string): Promise<WebsiteView> {
    return this.database.transaction(async (tx) => {
      const website = await this.lock(tx, orgId, id);
      await replacePingKey(tx, id);
      const settings = { ...settingsOf(website), ping_key: MASK };
      const hidden = { before: settings, after: settings, hidden: ['ping_key'] };
      await recordChange(tx, { ...about(orgId, id), action: 'update', ...hidden });
      return shown(await this.read(tx, orgId, id));
    });
  }

  /** Returns the number of endpoints, from a stored counter. */
  async endpointsOf(orgId: string, id: string): Promise<number> {
    const [row] = await this.database.query<{ endpoints: number }>(
      `SELECT u.endpoints FROM website w JOIN website_use u ON u.website_id = w.id
        WHERE w.org_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`,
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    return row.endpoints;
  }

  /**
   * Returns the sizes of the organization's lists, from stored counters. Resources that are being removed do not count.
   */
  async listed(orgId: string): Promise<{ websites: number; endpoints: number }> {
    const [row] = await this.database.query<{ websites: number; endpoints: number }>(
      'SELECT websites, endpoints FROM organization_listed WHERE org_id = $1',
      [orgId],
    );
    return row ?? { websites: 0, endpoints: 0 };
  }

  /** Adds a website without endpoints in the caller's transaction. Throws: `validation_failed` and `quota_exceeded`. */
  async add(tx: Tx, orgId: string, dto: NewWebsiteDto): Promise<Website> {
    const [website] = await this.addSome(tx, orgId, [{ id: newUuid(), dto }]);
    if (!website) throw new Error('the website was not created');
    return website;
  }

  /** Adds several websites. Cost: the same number of statements as for one website. */
  async addSome(tx: Tx, orgId: string, sent: readonly { id: string; dto: NewWebsiteDto }[]): Promise<Website[]> {
    if (sent.length === 0) return [];
    const now = this.clock.now();
    const own = { orgId, createdAt: now, updatedAt: now, deletedAt: null, owner: null };
    const websites = sent.map(({ id, dto }) => ({ id, ...own, pingKey: newPingKey(), ...newSettings(dto) }));
    await this.quotas.claim(tx, orgId, { websites: websites.length });
    await tx.manager.insert(Website, websites);
    const changes = websites.map((website) => {
      const after = settingsOf(website);
      return { ...about(orgId, website.id), action: 'create' as const, after };
    });
    await recordChanges(tx, changes);
    return websites;
  }

  /** Updates the sent fields. Endpoints are paused or started in the same transaction. */
  update(orgId: string, id: string, dto: UpdateWebsiteDto): Promise<WebsiteView> {
    return this.database.transaction(async (tx) => {
      const website = await this.lock(tx, orgId, id);
      requireMatch(tagSource(website));
      await this.change(tx, orgId, [{ website, dto }]);
      return shown(await this.read(tx, orgId, id));
    });
  }

  /**
   * Updates several websites that `lockSome` has locked. Cost: three statements, and more for each website that is
   * paused or started.
   */
  async updateSome(tx: Tx, orgId: string, sent: readonly { id: string; dto: UpdateWebsiteDto }[]): Promise<void> {
    if (sent.length === 0) return;
    const found = await tx.manager.findBy(Website, { orgId, id: In(sent.map(({ id }) => id)), deletedAt: IsNull() });
    const websites = new Map(found.map((website) => [website.id, website]));
    const changes = sent.map(({ id, dto }) => {
      const website = websites.get(id);
      if (!website) throw problems.notFound();
      return { website, dto };
    });
    await this.change(tx, orgId, changes);
  }

  /** Returns the problems for which `update` would refuse these fields, or none if the website does not exist. */
  async findingsIn(orgId: string, publicId: string | undefined, fields: UpdateWebsiteDto): Promise<Findings> {
    const id = parseId('website', publicId);
    const stored = id && (await this.database.manager.findOneBy(Website, { orgId, id }));
    return stored ? otherUrl(fields, stored) : NO_FINDINGS;
  }

  /**
   * Deletes a website permanently, with its endpoints, alerts, events, and history. Once it is marked, clients no
   * longer see it. Its rows are removed in steps, either within this call or, for a large website, in the background.
   * Open episodes are resolved, and the resulting deliveries are stored.
   */
  async remove(orgId: string, id: string): Promise<void> {
    await this.markRemoved(orgId, id);
    await this.removeMarked(orgId, id);
  }

  /** Marks a website as deleted, so that clients no longer see it. */
  markRemoved(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const website = await this.lock(tx, orgId, id);
      requireMatch(tagSource(website));
      await this.mark(tx, 'id = $1', id);
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before: settingsOf(website) });
    });
  }

  /**
   * Removes rows of a marked website for five seconds. The rest is removed in the background. Do not call this within a
   * transaction.
   */
  removeMarked(orgId: string, id: string): Promise<void> {
    return this.purge.help(orgId, id, PURGE_MS);
  }

  /**
   * Returns the settings before and after an `update`, or a creation if `website` is `null`, as the audit log shows
   * them. Throws: `validation_failed` like these methods.
   */
  preview(website: Website | null, dto: NewWebsiteDto): { before: object | null; after: object } {
    if (!website) return { before: null, after: settingsOf(newSettings(dto)) };
    refuse(otherUrl(dto, website));
    return { before: settingsOf(website), after: settingsOf({ ...website, ...changedSettings(dto, website) }) };
  }

  /** Sets the owner. Only configuration documents call this. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'website', orgId, ids, owner);
  }

  /** Marks every website of an organization that is being deleted. */
  async markAll(orgId: string, tx: Tx): Promise<void> {
    await this.mark(tx, 'org_id = $1', orgId);
  }

  /** Locks and returns a website. It can't be enabled, disabled, or deleted until the caller's transaction ends. */
  async lock(tx: Tx, orgId: string, id: string): Promise<Website> {
    const website = await tx.manager.findOne(Website, {
      where: { orgId, id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
    if (!website) throw problems.notFound();
    return website;
  }

  /** Locks several websites like `lock`, in ID order. Missing ones are omitted. */
  lockSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<Website[]> {
    return tx.manager.find(Website, {
      where: { orgId, id: In(ids), deletedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async find(tx: Tx, id: string): Promise<Website> {
    return tx.manager.findOneOrFail(Website, { where: { id } });
  }

  /** Returns the IDs of those websites that are enabled. Cost: one statement. */
  async enabledOf(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ id: string }>('SELECT id FROM website WHERE id = ANY ($1::uuid[]) AND enabled', [
      ids,
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  private async change(
    tx: Tx,
    orgId: string,
    sent: readonly { website: Website; dto: UpdateWebsiteDto }[],
  ): Promise<void> {
    const updatedAt = this.clock.now();
    const changes = sent.map(({ website, dto }) => {
      refuse(otherUrl(dto, website));
      const { id } = website;
      const row = { id, ...changedSettings(dto, website), updatedAt };
      return { website, row, before: settingsOf(website), after: settingsOf({ ...website, ...row }) };
    });
    const changed = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after));
    await updateRows(
      tx,
      Website,
      changed.map(({ row }) => row),
    );
    const entries = changed.map(({ row: { id }, before, after }) => {
      return { ...about(orgId, id), action: 'update' as const, before, after };
    });
    await recordChanges(tx, entries);
    for (const { website, row } of changed) {
      if (website.enabled === row.enabled) continue;
      const Event = row.enabled ? WebsiteStarted : WebsiteStopped;
      await this.events.emit(new Event(orgId, row.id), tx);
    }
  }

  /** Also deletes their status pages immediately. */
  private async mark(tx: Tx, which: 'id = $1' | 'org_id = $1', value: string): Promise<void> {
    const rows = await tx.query<{ id: string }>(
      `UPDATE website SET deleted_at = now() WHERE ${which} AND deleted_at IS NULL RETURNING id`,
      [value],
    );
    await this.events.emit(new WebsitesDeleted(rows.map(({ id }) => id)), tx);
  }

  private async read(sql: Sql, orgId: string, id: string): Promise<WebsiteRow> {
    const [row] = await sql.query<WebsiteRow>(`${SELECT} WHERE w.org_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`, [
      orgId,
      id,
    ]);
    if (!row) throw problems.notFound();
    return row;
  }
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'website', id }) as const;
type Settings = Pick<Website, 'name' | 'url' | 'enabled' | 'tags' | 'externalKey'>;
const settingsOf = ({ name, url, enabled, tags, externalKey }: Settings) => ({
  name,
  url,
  enabled,
  tags,
  key: externalKey,
});

/** Throws: `validation_failed`. */
function newSettings(dto: NewWebsiteDto): Settings {
  const parsed = parseWebsiteUrl(dto.url);
  if ('problem' in parsed) throw problems.validationFailed([parsed.problem]);
  return {
    name: dto.name.trim(),
    url: parsed.url,
    enabled: dto.enabled ?? true,
    tags: tagSet(dto.tags ?? []),
    externalKey: dto.key ?? null,
  };
}

const changedSettings = (dto: UpdateWebsiteDto, website: Website): Omit<Settings, 'url'> => ({
  name: dto.name?.trim() ?? website.name,
  enabled: dto.enabled ?? website.enabled,
  tags: dto.tags ? tagSet(dto.tags) : website.tags,
  externalKey: dto.key === undefined ? website.externalKey : dto.key,
});

const tagSource = (website: Settings & Pick<Website, 'id'>) => ({ id: website.id, ...settingsOf(website) });

const shown = (row: WebsiteRow): WebsiteView =>
  tagged(toWebsiteView(row), tagSource({ ...row, externalKey: row.external_key }));

function otherUrl({ url }: UpdateWebsiteDto, website: Website): Findings {
  if (url === undefined || sameUrl(url, website.url)) return NO_FINDINGS;
  const message = 'url cannot be changed; create another website';
  return { invalid: [{ pointer: '/url', code: 'immutable', message }], forbidden: [] };
}

function sameUrl(sent: string, stored: string): boolean {
  const parsed = parseWebsiteUrl(sent);
  return 'url' in parsed && parsed.url === stored;
}
