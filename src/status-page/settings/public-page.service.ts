import { Injectable } from '@nestjs/common';
import { recordChange, recordChanges } from '../../audit/audit-log';
import { Quotas } from '../../identity/quota/quotas.service';
import type { Caller } from '../../platform/access/caller';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { setOwner } from '../../platform/database/set-owner';
import { Cursors } from '../../platform/http/cursors';
import type { Page, PageQuery } from '../../platform/http/page';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { tagged } from '../../platform/http/precondition/entity-tags';
import { NIL_UUID, newUuid } from '../../platform/ids/id';
import type { Findings } from '../../platform/problem/findings';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import type { PageGroup } from '../page-groups';
import { HostedPages } from '../public/hosted-pages';
import { PageContents, tooMany, toPageGroups } from './page-contents';
import { readDomain, readLogo } from './page-rules';
import { expectFree, freeSlugs } from './page-slugs';
import {
  type CreatePublicPageDto,
  type PublicPageRow,
  type PublicPageView,
  toPublicPageView,
  type UpdatePublicPageDto,
} from './public-page.dto';

const DEFAULT_LIMIT = 100;
const COLUMNS =
  'id, website_id, slug, enabled, title, description, accent, logo_hash, domain, down_after_minutes, indexed, support_url, groups, external_key, owner, updated_at';
const PAGE = `SELECT ${COLUMNS} FROM status_page
  WHERE (org_id, id) > ($1::uuid, $2::uuid) AND org_id <= $1::uuid ORDER BY org_id, id LIMIT $3`;
const ONE = `SELECT ${COLUMNS} FROM status_page WHERE org_id = $1 AND id = $2`;

const SOME = `SELECT ${COLUMNS} FROM status_page WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE`;

const SENT = 'json_populate_recordset(NULL::status_page, $2::json)';
const INSERT = `INSERT INTO status_page
    (id, org_id, slug, enabled, title, description, accent, domain, down_after_minutes, indexed, support_url, groups, updated_at, external_key)
  SELECT id, $1, slug, enabled, title, description, accent, domain, down_after_minutes, indexed, support_url, groups, updated_at, external_key
    FROM ${SENT}`;
const UPDATE = `UPDATE status_page p
    SET slug = r.slug, enabled = r.enabled, title = r.title, description = r.description, accent = r.accent,
        domain = r.domain, down_after_minutes = r.down_after_minutes, indexed = r.indexed, support_url = r.support_url, groups = r.groups, updated_at = r.updated_at, external_key = r.external_key
   FROM ${SENT} r WHERE p.org_id = $1 AND p.id = r.id`;
const SET_LOGOS = `UPDATE status_page p SET logo_hash = l.hash, logo = decode(l.body, 'base64'), logo_type = l.type
   FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS l (id, hash, body, type) WHERE p.org_id = $1 AND p.id = l.id`;

/** The caller who changes a page, and the hostname under which they reached this installation. */
export interface PageAuthor {
  caller: Pick<Caller, 'orgId' | 'isDefaultOrg' | 'role'>;
  host: string | undefined;
}

/** Manages the public pages of one organization: pages of its websites, and pages with selected contents. */
@Injectable()
export class PublicPageService {
  constructor(
    private readonly database: Database,
    private readonly contents: PageContents,
    private readonly hosted: HostedPages,
    private readonly quotas: Quotas,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async list(orgId: string, query: PageQuery): Promise<Page<PublicPageView>> {
    const page = await this.cursors.paginate({
      orgId,
      list: 'status-pages',
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      read: async (after, count) => {
        const rows = await this.database.query<PublicPageRow>(PAGE, [orgId, after ?? NIL_UUID, count]);
        const groups = await this.contents.of(orgId, rows);
        return rows.map((row, index) => ({ row, groups: groups[index] ?? [] }));
      },
      idOf: ({ row }) => row.id,
      total: async () => (await this.quotas.usage(orgId)).status_pages.used,
    });
    return page.map(({ row, groups }) => this.view(row, groups));
  }

  get(orgId: string, id: string): Promise<PublicPageView> {
    return this.read(this.database, orgId, id);
  }

  /** Creates a page. Throws: `conflict` for a slug or a domain that another page uses. */
  async create(
    orgId: string,
    author: PageAuthor,
    dto: CreatePublicPageDto,
    id: string = newUuid(),
  ): Promise<PublicPageView> {
    return this.database.transaction(async (tx) => {
      await this.createSome(tx, orgId, author, [{ id, dto }]);
      return this.read(tx, orgId, id);
    });
  }

  /** Creates several pages. Cost: the same number of statements as for one page. */
  async createSome(
    tx: Tx,
    orgId: string,
    author: PageAuthor,
    sent: readonly { id: string; dto: CreatePublicPageDto }[],
  ): Promise<void> {
    if (sent.length === 0) return;
    const now = this.clock.now();
    const changes = sent.map(({ id, dto }) => ({ before: null, start: emptyPage(id, dto.title, now), dto }));
    await this.save(tx, orgId, author, changes);
  }

  /** Updates some fields of a page. Throws: the same as `create`. */
  async update(orgId: string, author: PageAuthor, id: string, dto: UpdatePublicPageDto): Promise<PublicPageView> {
    return this.database.transaction(async (tx) => {
      const stored = await this.lock(tx, orgId, id);
      requireMatch(tagSource(stored));
      await this.save(tx, orgId, author, [{ before: stored, start: stored, dto }]);
      return this.read(tx, orgId, id);
    });
  }

  /** Updates several pages. Cost: the same number of statements as for one page. */
  async updateSome(
    tx: Tx,
    orgId: string,
    author: PageAuthor,
    sent: readonly { id: string; dto: UpdatePublicPageDto }[],
  ): Promise<void> {
    if (sent.length === 0) return;
    const rows = await tx.query<PublicPageRow>(SOME, [orgId, sent.map(({ id }) => id)]);
    const pages = new Map(rows.map((row) => [row.id, row]));
    const changes = sent.map(({ id, dto }): PageChange => {
      const stored = pages.get(id);
      if (!stored) throw problems.notFound();
      return { before: stored, start: stored, dto };
    });
    await this.save(tx, orgId, author, changes);
  }

  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const stored = await this.lock(tx, orgId, id);
      requireMatch(tagSource(stored));
      const before = audited(await this.read(tx, orgId, id), stored);
      await tx.query('DELETE FROM status_page WHERE org_id = $1 AND id = $2', [orgId, id]);
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before });
      tx.afterCommit(() => this.hosted.changed(stored, null));
    });
  }

  /** Deletes all pages of an organization that is being deleted, so no one can see them anymore. */
  async removeAll(orgId: string, tx: Tx): Promise<void> {
    const rows = await tx.query<PublicPageRow>(
      `DELETE FROM status_page WHERE org_id = $1 AND website_id IS NULL RETURNING ${COLUMNS}`,
      [orgId],
    );
    tx.afterCommit(() => {
      for (const row of rows) this.hosted.changed(row, null);
    });
  }

  /**
   * Returns what `update` would change, in the form that the audit log shows. If `stored` is `null`, previews `create`.
   * Throws `validation_failed` like those methods, but doesn't check whether the contents of groups exist.
   */
  preview(author: PageAuthor, stored: PublicPageRow | null, dto: CreatePublicPageDto): PreviewedPage {
    const before = stored ?? emptyPage(NIL_UUID, dto.title, this.clock.now());
    const after = { ...changed(before, dto, this.clock.now()), slug: dto.slug ?? before.slug };
    if (dto.logo !== undefined) after.logo_hash = logoOf(dto.logo).hash;
    const wrong = [
      ...tooMany(after.groups ?? []),
      ...(after.domain === before.domain ? [] : this.refusedDomain(after.domain, author)),
    ];
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const shown = (row: PublicPageRow) => audited(this.view(row, row.groups ?? []), row);
    return { before: stored && shown(stored), after: shown(after) };
  }

  /** Sets the owner. Only configuration documents call this. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'status_page', orgId, ids, owner);
  }

  /** Returns the problems for which `create` and `update` would refuse these fields. */
  async findingsIn({ caller, host }: PageAuthor, { groups, domain }: UpdatePublicPageDto): Promise<Findings> {
    const found = groups ? await this.contents.problemsOf(this.database, caller.orgId, [toPageGroups(groups)]) : [];
    const name = typeof domain === 'string' ? readDomain(domain) : null;
    // The stored domain is not known here. A write key may send it back unchanged.
    const refused = caller.role === 'write' ? [] : this.refusedDomain(name, { caller, host });
    return { invalid: [...found.flat(), ...refused], forbidden: [] };
  }

  /**
   * Saves pages that are either all new or all existing. Throws: `validation_failed` with all problems of the first
   * page that has any.
   */
  private async save(tx: Tx, orgId: string, author: PageAuthor, changes: readonly PageChange[]): Promise<void> {
    const rows = changes.map(({ start, dto }) => changed(start, dto, this.clock.now()));
    await this.judge(tx, orgId, author, changes, rows);
    await this.giveSlugs(tx, changes, rows);
    const made = changes.filter(({ before }) => before === null).length;
    if (made > 0) await this.quotas.claim(tx, orgId, { status_pages: made });
    // The pages before the change, for the audit log. A logo that doesn't change is not sent.
    const before = await this.contents.of(
      orgId,
      changes.map(({ start }) => start),
      tx,
    );
    await tx.query(made > 0 ? INSERT : UPDATE, [orgId, JSON.stringify(rows)]);
    await setLogos(tx, orgId, changes, rows);
    const after = await this.contents.of(orgId, rows, tx);
    const entries = rows.map((row, at) => {
      const stored = changes[at]?.before ?? null;
      const sides = {
        before: stored && audited(this.view(stored, before[at] ?? []), stored),
        after: audited(this.view(row, after[at] ?? []), row),
      };
      return { ...about(orgId, row.id), action: stored ? ('update' as const) : ('create' as const), ...sides };
    });
    await recordChanges(tx, entries);
    tx.afterCommit(() => rows.forEach((row, at) => this.hosted.changed(changes[at]?.before ?? null, row)));
  }

  private async judge(
    tx: Tx,
    orgId: string,
    author: PageAuthor,
    changes: readonly PageChange[],
    rows: readonly PublicPageRow[],
  ): Promise<void> {
    const sent = changes.map(({ dto }, at) => (dto.groups === undefined ? [] : (rows[at]?.groups ?? [])));
    const found = await this.contents.problemsOf(tx, orgId, sent);
    for (const [at, row] of rows.entries()) {
      const wrong = [...(found[at] ?? [])];
      if (row.title === null && row.website_id === null)
        wrong.push({ pointer: '/title', code: 'required', message: 'title is required' });
      if (row.domain !== changes[at]?.start.domain) wrong.push(...this.refusedDomain(row.domain, author));
      if (wrong.length > 0) throw problems.validationFailed(wrong);
    }
    const domains = rows.flatMap(({ id, domain }) => (domain === null ? [] : [{ id, address: domain }]));
    await expectFree(tx, 'domain', domains);
  }

  private async giveSlugs(tx: Tx, changes: readonly PageChange[], rows: readonly PublicPageRow[]): Promise<void> {
    rows.forEach((row, at) => (row.slug = changes[at]?.dto.slug ?? row.slug));
    const unnamed = rows.filter(({ slug }) => slug === '');
    const named = rows.flatMap(({ slug }) => (slug === '' ? [] : [slug]));
    const slugs = await freeSlugs(
      tx,
      unnamed.map(({ title }) => title ?? ''),
      named,
    );
    unnamed.forEach((row, at) => (row.slug = slugs[at] ?? ''));
    await expectFree(
      tx,
      'slug',
      rows.map(({ id, slug }) => ({ id, address: slug })),
    );
  }

  private view(row: PublicPageRow, groups: readonly PageGroup[]): PublicPageView {
    return toPublicPageView(row, groups, this.hosted.pathOf(row.slug));
  }

  private refusedDomain(domain: string | null, { caller, host }: PageAuthor): FieldProblem[] {
    const message = domain === null ? null : this.hosted.refusal(domain, caller, host);
    return message === null ? [] : [{ pointer: '/domain', code: 'invalid_format', message }];
  }

  private async lock(tx: Tx, orgId: string, id: string): Promise<PublicPageRow> {
    const [row] = await tx.query<PublicPageRow>(`${ONE} FOR UPDATE`, [orgId, id]);
    if (!row) throw problems.notFound();
    return row;
  }

  private async read(sql: Sql, orgId: string, id: string): Promise<PublicPageView> {
    const [row] = await sql.query<PublicPageRow>(ONE, [orgId, id]);
    if (!row) throw problems.notFound();
    const [groups] = await this.contents.of(orgId, [row], sql);
    return tagged(this.view(row, groups ?? []), tagSource(row));
  }
}

interface PageChange {
  /** `null` for a new page. */
  before: PublicPageRow | null;
  /** The page that the change is applied to. */
  start: PublicPageRow;
  dto: UpdatePublicPageDto;
}

/** See `PublicPageService.preview`. */
export interface PreviewedPage {
  before: object | null;
  after: object;
}

const emptyPage = (id: string, title: string, now: Date): PublicPageRow => ({
  id,
  website_id: null,
  slug: '',
  enabled: false,
  title,
  description: '',
  accent: null,
  logo_hash: null,
  domain: null,
  down_after_minutes: null,
  indexed: true,
  support_url: null,
  groups: [],
  external_key: null,
  owner: null,
  updated_at: now,
});

/** Returns the row after the change, except for the slug and logo. */
const changed = (row: PublicPageRow, dto: UpdatePublicPageDto, now: Date): PublicPageRow => ({
  ...row,
  enabled: dto.enabled ?? row.enabled,
  title: dto.title === undefined ? row.title : (dto.title?.trim() ?? null),
  description: dto.description?.trim() ?? row.description,
  accent: dto.accent === undefined ? row.accent : (dto.accent?.toLowerCase() ?? null),
  domain: typeof dto.domain === 'string' ? readDomain(dto.domain) : dto.domain === null ? null : row.domain,
  down_after_minutes: dto.down_after_minutes === undefined ? row.down_after_minutes : dto.down_after_minutes,
  indexed: dto.indexed ?? row.indexed,
  support_url: dto.support_url === undefined ? row.support_url : dto.support_url,
  groups: dto.groups === undefined ? row.groups : toPageGroups(dto.groups),
  updated_at: now,
  external_key: dto.key === undefined ? row.external_key : dto.key,
});

/** Saves the logos of pages for which a logo or `null` was sent. Sets the hash in their rows. */
async function setLogos(
  tx: Tx,
  orgId: string,
  changes: readonly PageChange[],
  rows: readonly PublicPageRow[],
): Promise<void> {
  const sent = changes.flatMap(({ dto, start: { id } }) =>
    dto.logo === undefined ? [] : [{ id, ...logoOf(dto.logo) }],
  );
  if (sent.length === 0) return;
  await tx.query(SET_LOGOS, [
    orgId,
    sent.map(({ id }) => id),
    sent.map(({ hash }) => hash),
    sent.map(({ body }) => body?.toString('base64') ?? null),
    sent.map(({ type }) => type),
  ]);
  const hashes = new Map(sent.map(({ id, hash }) => [id, hash]));
  for (const row of rows) row.logo_hash = hashes.get(row.id) ?? (hashes.has(row.id) ? null : row.logo_hash);
}

/** All fields are null if there is no logo. */
function logoOf(text: string | null | undefined): { hash: string | null; body: Buffer | null; type: string | null } {
  const logo = typeof text === 'string' ? readLogo(text) : null;
  return logo === null || 'problem' in logo ? { hash: null, body: null, type: null } : logo;
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'public_page', id }) as const;

const tagSource = ({ owner: _owner, updated_at: _updatedAt, ...settings }: PublicPageRow) => settings;

/** Omits fields that are derived from the slug, and contains a hash instead of the logo. */
const audited = (page: PublicPageView, row: PublicPageRow) => ({
  ...page,
  path: undefined,
  logo_url: undefined,
  logo: row.logo_hash,
});
