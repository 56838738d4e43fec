import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { Quotas } from '../../identity/quota/quotas.service';
import type { Caller } from '../../platform/access/caller';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { setOwner } from '../../platform/database/set-owner';
import { Cursors } from '../../platform/http/cursors';
import type { Page, PageQuery } from '../../platform/http/page';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { tagged } from '../../platform/http/precondition/tagged';
import { NIL_UUID, newUuid } from '../../platform/ids/id';
import type { Findings } from '../../platform/problem/findings';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { HostedPages } from '../public/hosted-pages';
import { PageContents, toPageGroups } from './page-contents';
import { readDomain, readLogo } from './page-rules';
import { expectFreeSlug, freeSlug } from './page-slugs';
import {
  type CreatePublicPageDto,
  type PublicPageRow,
  type PublicPageView,
  toPublicPageView,
  type UpdatePublicPageDto,
} from './public-page.dto';

const DEFAULT_LIMIT = 100;
const COLUMNS =
  'id, website_id, slug, enabled, title, description, accent, logo_hash, domain, groups, external_key, owner, updated_at';
const PAGE = `SELECT ${COLUMNS} FROM status_page
  WHERE (org_id, id) > ($1::uuid, $2::uuid) AND org_id <= $1::uuid ORDER BY org_id, id LIMIT $3`;
const ONE = `SELECT ${COLUMNS} FROM status_page WHERE org_id = $1 AND id = $2`;

const INSERT = `INSERT INTO status_page
    (id, org_id, slug, enabled, title, description, accent, domain, groups, updated_at, external_key, logo_hash, logo, logo_type)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
const UPDATE = `UPDATE status_page
    SET slug = $3, enabled = $4, title = $5, description = $6, accent = $7, domain = $8, groups = $9, updated_at = $10, external_key = $11
  WHERE org_id = $2 AND id = $1`;
const SET_LOGO = 'UPDATE status_page SET logo_hash = $3, logo = $4, logo_type = $5 WHERE org_id = $2 AND id = $1';

/** Who changes a page, and under which host name of this installation. */
export interface PageAuthor {
  caller: Pick<Caller, 'orgId' | 'isDefaultOrg' | 'role'>;
  host: string | undefined;
}

/** Public pages of one organization: those of its websites, and those with a choice of what it has. */
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
    return page.map(({ row, groups }) => toPublicPageView(row, groups));
  }

  get(orgId: string, id: string): Promise<PublicPageView> {
    return this.read(this.database, orgId, id);
  }

  /** Throws `conflict` for a slug or a domain that another page uses. */
  async create(
    orgId: string,
    author: PageAuthor,
    dto: CreatePublicPageDto,
    id: string = newUuid(),
  ): Promise<PublicPageView> {
    return this.database.transaction(async (tx) => {
      const row = await this.merged(tx, orgId, author, emptyPage(id, dto.title, this.clock.now()), dto);
      row.slug = dto.slug ?? (await freeSlug(tx, dto.title.trim()));
      await expectFreeSlug(tx, row.slug, id);
      await this.quotas.claim(tx, orgId, { status_pages: 1 });
      await tx.query(INSERT, [...valuesOf(orgId, row), ...logoOf(dto.logo)]);
      const page = await this.read(tx, orgId, id);
      await recordChange(tx, { ...about(orgId, id), action: 'create', after: audited(page, row) });
      tx.afterCommit(() => this.hosted.changed(null, row));
      return page;
    });
  }

  /** Partial. Throws as `create` does. */
  async update(orgId: string, author: PageAuthor, id: string, dto: UpdatePublicPageDto): Promise<PublicPageView> {
    return this.database.transaction(async (tx) => {
      const stored = await this.lock(tx, orgId, id);
      requireMatch(tagSource(stored));
      const before = await this.read(tx, orgId, id);
      const row = await this.merged(tx, orgId, author, stored, dto);
      row.slug = dto.slug ?? stored.slug;
      await expectFreeSlug(tx, row.slug, id);
      await tx.query(UPDATE, valuesOf(orgId, row));
      if (dto.logo !== undefined) await tx.query(SET_LOGO, [id, orgId, ...logoOf(dto.logo)]);
      const page = await this.read(tx, orgId, id);
      const after = await this.lock(tx, orgId, id);
      const sides = { before: audited(before, stored), after: audited(page, after) };
      await recordChange(tx, { ...about(orgId, id), action: 'update', ...sides });
      tx.afterCommit(() => this.hosted.changed(stored, after));
      return page;
    });
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

  /** All pages of an organization that is being deleted: nobody may see them from now on. */
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
   * What `update`, of `null` a creation, would make of it, as the audit log shows both sides. Throws `validation_failed` as they
   * do; what the groups show is not looked for.
   */
  preview(author: PageAuthor, stored: PublicPageRow | null, dto: CreatePublicPageDto): PreviewedPage {
    const before = stored ?? emptyPage(NIL_UUID, dto.title, this.clock.now());
    const after = { ...changed(before, dto, this.clock.now()), slug: dto.slug ?? before.slug };
    if (dto.logo !== undefined) after.logo_hash = logoOf(dto.logo)[0] as string | null;
    const wrong = after.domain === before.domain ? [] : this.refusedDomain(after.domain, author);
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const shown = (row: PublicPageRow) => audited(toPublicPageView(row, row.groups ?? []), row);
    return { before: stored && shown(stored), after: shown(after) };
  }

  /** Written by configuration documents alone. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string): Promise<void> {
    return setOwner(tx, 'status_page', orgId, ids, owner);
  }

  /** What `create` and `update` would refuse in these fields. */
  async findingsIn({ caller, host }: PageAuthor, { groups, domain }: UpdatePublicPageDto): Promise<Findings> {
    const invalid = groups ? await this.contents.problemsOf(this.database, caller.orgId, toPageGroups(groups)) : [];
    const name = typeof domain === 'string' ? readDomain(domain) : null;
    // Nobody knows here whether it is the one that the page has: a write key may send that back.
    const refused = caller.role === 'write' ? [] : this.refusedDomain(name, { caller, host });
    return { invalid: [...invalid, ...refused], forbidden: [] };
  }

  /** The row after the change, judged: throws `validation_failed` with everything that only the database can tell. */
  private async merged(
    tx: Tx,
    orgId: string,
    author: PageAuthor,
    row: PublicPageRow,
    dto: UpdatePublicPageDto,
  ): Promise<PublicPageRow> {
    const after = changed(row, dto, this.clock.now());
    const wrong = dto.groups === undefined ? [] : await this.contents.problemsOf(tx, orgId, after.groups ?? []);
    if (after.title === null && row.website_id === null)
      wrong.push({ pointer: '/title', code: 'required', message: 'title is required' });
    if (after.domain !== row.domain) wrong.push(...this.refusedDomain(after.domain, author));
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    await expectFreeDomain(tx, after);
    return after;
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
    return tagged(toPublicPageView(row, groups ?? []), tagSource(row));
  }
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
  groups: [],
  external_key: null,
  owner: null,
  updated_at: now,
});

/** The row after the change but for slug and logo. */
const changed = (row: PublicPageRow, dto: UpdatePublicPageDto, now: Date): PublicPageRow => ({
  ...row,
  enabled: dto.enabled ?? row.enabled,
  title: dto.title === undefined ? row.title : (dto.title?.trim() ?? null),
  description: dto.description?.trim() ?? row.description,
  accent: dto.accent === undefined ? row.accent : (dto.accent?.toLowerCase() ?? null),
  domain: typeof dto.domain === 'string' ? readDomain(dto.domain) : dto.domain === null ? null : row.domain,
  groups: dto.groups === undefined ? row.groups : toPageGroups(dto.groups),
  updated_at: now,
  external_key: dto.key === undefined ? row.external_key : dto.key,
});

async function expectFreeDomain(tx: Tx, { domain, id }: PublicPageRow): Promise<void> {
  const [taken] = await tx.query('SELECT 1 FROM status_page WHERE domain = $1 AND id <> $2', [domain, id]);
  if (taken) throw problems.conflict(`The domain "${domain}" is taken.`);
}

const valuesOf = (orgId: string, row: PublicPageRow): unknown[] => [
  row.id,
  orgId,
  row.slug,
  row.enabled,
  row.title,
  row.description,
  row.accent,
  row.domain,
  row.groups && JSON.stringify(row.groups),
  row.updated_at,
  row.external_key,
];

/** Hash, bytes and type; all null without a logo. */
function logoOf(text: string | null | undefined): unknown[] {
  const logo = typeof text === 'string' ? readLogo(text) : null;
  return logo === null || 'problem' in logo ? [null, null, null] : [logo.hash, logo.body, logo.type];
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'public_page', id }) as const;

const tagSource = ({ owner: _owner, updated_at: _updatedAt, ...settings }: PublicPageRow) => settings;

/** Without what follows from the slug; the logo by the hash of its bytes. */
const audited = (page: PublicPageView, row: PublicPageRow) => ({
  ...page,
  path: undefined,
  logo_url: undefined,
  logo: row.logo_hash,
});
