import { Injectable } from '@nestjs/common';
import { recordChanges } from '../../audit/audit-log';
import { Quotas } from '../../identity/quota/quotas.service';
import { Database, type Tx } from '../../platform/database/database';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { tagged } from '../../platform/http/precondition/entity-tags';
import { Clock } from '../../platform/time/clock';
import { WebsiteService } from '../../website/website.service';
import { HostedPages } from '../public/hosted-pages';
import { expectFree, freeSlugs } from './page-slugs';
import { type StatusPageView, toStatusPageView, type UpdateStatusPageDto } from './website-page.dto';

interface Row {
  id: string;
  slug: string;
  enabled: boolean;
  domain: string | null;
}

/** Manages whether a website has a public page, and the slug of that page. */
@Injectable()
export class WebsitePageService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly hosted: HostedPages,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
  ) {}

  /** Deletes the pages of deleted websites immediately. */
  async forget(tx: Tx, websiteIds: readonly string[]): Promise<void> {
    const pages = await tx.query<Row>(
      'DELETE FROM status_page WHERE website_id = ANY ($1::uuid[]) RETURNING slug, enabled, domain',
      [websiteIds],
    );
    tx.afterCommit(() => {
      for (const page of pages) this.hosted.changed(page, null);
    });
  }

  async get(orgId: string, websiteId: string): Promise<StatusPageView> {
    await this.websites.get(orgId, websiteId);
    const [row] = await this.database.query<Pick<Row, 'slug' | 'enabled'>>(
      'SELECT slug, enabled FROM status_page WHERE website_id = $1',
      [websiteId],
    );
    return tagged(this.view(row), tagSource(websiteId, row));
  }

  /**
   * Updates some fields. Throws: `conflict` for a slug that another page uses. The default slug is derived from the
   * website's name.
   */
  async update(orgId: string, websiteId: string, dto: UpdateStatusPageDto): Promise<StatusPageView> {
    return this.database.transaction(async (tx) => {
      await this.websites.lock(tx, orgId, websiteId);
      const stored = await storedOf(tx, [websiteId]);
      const before = stored.get(websiteId)?.page ?? undefined;
      requireMatch(tagSource(websiteId, before));
      const [after = before] = await this.save(tx, orgId, [{ websiteId, dto }], stored);
      return tagged(this.view(after), tagSource(websiteId, after));
    });
  }

  /** Updates the pages of several locked websites. Cost: the same number of statements as for one website. */
  async updateSome(tx: Tx, orgId: string, sent: readonly SentPage[]): Promise<void> {
    if (sent.length > 0)
      await this.save(
        tx,
        orgId,
        sent,
        await storedOf(
          tx,
          sent.map(({ websiteId }) => websiteId),
        ),
      );
  }

  private view(row: Pick<Row, 'slug' | 'enabled'> | undefined): StatusPageView {
    return toStatusPageView(row, (slug) => this.hosted.pathOf(slug));
  }

  private async save(
    tx: Tx,
    orgId: string,
    sent: readonly SentPage[],
    stored: ReadonlyMap<string, Stored>,
  ): Promise<Pick<Row, 'slug' | 'enabled'>[]> {
    const changing = sent.filter(({ websiteId, dto }) => stored.get(websiteId)?.page || createsPage(dto));
    if (changing.length === 0) return [];
    const pages = changing.map(({ websiteId, dto }) => {
      const { name = '', page = null } = stored.get(websiteId) ?? {};
      const enabled = dto.enabled ?? page?.enabled ?? false;
      return { websiteId, name, before: page, slug: dto.slug ?? page?.slug ?? '', enabled };
    });
    const unnamed = pages.filter(({ slug }) => slug === '');
    const named = pages.flatMap(({ slug }) => (slug === '' ? [] : [slug]));
    const slugs = await freeSlugs(
      tx,
      unnamed.map(({ name }) => name),
      named,
    );
    unnamed.forEach((page, at) => (page.slug = slugs[at] ?? ''));
    const wanted = pages.map(({ before, slug }) => ({ id: before?.id ?? null, address: slug }));
    await expectFree(tx, 'slug', wanted);
    const made = pages.filter(({ before }) => before === null).length;
    if (made > 0) await this.quotas.claim(tx, orgId, { status_pages: made });
    await tx.query(
      `INSERT INTO status_page (website_id, org_id, slug, enabled, updated_at)
       SELECT website_id, $1, slug, enabled, $2 FROM unnest($3::uuid[], $4::text[], $5::boolean[]) AS p (website_id, slug, enabled)
       ON CONFLICT (website_id) DO UPDATE SET slug = excluded.slug, enabled = excluded.enabled, updated_at = excluded.updated_at`,
      [
        orgId,
        this.clock.now(),
        pages.map(({ websiteId }) => websiteId),
        pages.map(({ slug }) => slug),
        pages.map(({ enabled }) => enabled),
      ],
    );
    tx.afterCommit(() => {
      for (const { before, slug, enabled } of pages)
        this.hosted.changed(before, { slug, enabled, domain: before?.domain ?? null });
    });
    const changes = pages.map(({ websiteId, before, slug, enabled }) => ({
      orgId,
      action: 'update' as const,
      resource: 'status_page' as const,
      id: websiteId,
      before: before ? { slug: before.slug, enabled: before.enabled } : { enabled: false },
      after: { slug, enabled },
    }));
    await recordChanges(tx, changes);
    return pages;
  }
}

interface SentPage {
  websiteId: string;
  dto: UpdateStatusPageDto;
}

interface Stored {
  /** The name of the website. */
  name: string;
  page: Row | null;
}

/** Returns the stored pages by website UUID. */
async function storedOf(tx: Tx, websiteIds: readonly string[]): Promise<Map<string, Stored>> {
  const rows = await tx.query<Row & { websiteId: string; name: string; id: string | null }>(
    `SELECT w.id AS "websiteId", w.name, p.id, p.slug, p.enabled, p.domain
       FROM website w LEFT JOIN status_page p ON p.website_id = w.id WHERE w.id = ANY ($1::uuid[])`,
    [websiteIds],
  );
  return new Map(
    rows.map(({ websiteId, name, ...page }) => [websiteId, { name, page: page.id === null ? null : page }]),
  );
}

/** Contains what these routes show. A website without a page has the same tag as one whose page is disabled. */
const tagSource = (id: string, page: Pick<Row, 'slug' | 'enabled'> | undefined) => ({
  id,
  slug: page?.slug ?? null,
  enabled: page?.enabled ?? false,
});

/**
 * Returns true if a change to a page that doesn't exist creates it. An empty change doesn't create it, and neither does
 * sending back the `GET` response, which has no slug.
 */
const createsPage = ({ enabled, slug }: UpdateStatusPageDto): boolean =>
  enabled === true || typeof slug === 'string' || (enabled === false && slug === undefined);
