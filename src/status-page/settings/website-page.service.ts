import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { Quotas } from '../../identity/quota/quotas.service';
import { Database, type Tx } from '../../platform/database/database';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { tagged } from '../../platform/http/precondition/tagged';
import { Clock } from '../../platform/time/clock';
import { WebsiteService } from '../../website/website.service';
import { HostedPages } from '../public/hosted-pages';
import { expectFreeSlug, freeSlug } from './page-slugs';
import { type StatusPageView, toStatusPageView, type UpdateStatusPageDto } from './website-page.dto';

interface Row {
  id: string;
  slug: string;
  enabled: boolean;
  domain: string | null;
}

/** Whether a website has a public page, and at which address. */
@Injectable()
export class WebsitePageService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly hosted: HostedPages,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
  ) {}

  /** The pages of deleted websites are gone at once. */
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
    return tagged(toStatusPageView(row), tagSource(websiteId, row));
  }

  /** Partial. Throws `conflict` for a slug that another page uses; the default is made from the website's name. */
  async update(orgId: string, websiteId: string, dto: UpdateStatusPageDto): Promise<StatusPageView> {
    const { name } = await this.websites.get(orgId, websiteId);
    return this.database.transaction(async (tx) => {
      await this.websites.lock(tx, orgId, websiteId);
      const [stored] = await tx.query<Row>('SELECT id, slug, enabled, domain FROM status_page WHERE website_id = $1', [
        websiteId,
      ]);
      requireMatch(tagSource(websiteId, stored));
      const slug = dto.slug ?? stored?.slug ?? (await freeSlug(tx, name));
      const enabled = dto.enabled ?? stored?.enabled ?? false;
      await expectFreeSlug(tx, slug, stored?.id ?? null);
      if (!stored) await this.quotas.claim(tx, orgId, { status_pages: 1 });
      await tx.query(
        `INSERT INTO status_page (website_id, org_id, slug, enabled, updated_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (website_id) DO UPDATE SET slug = excluded.slug, enabled = excluded.enabled, updated_at = excluded.updated_at`,
        [websiteId, orgId, slug, enabled, this.clock.now()],
      );
      const domain = stored?.domain ?? null;
      tx.afterCommit(() => this.hosted.changed(stored ?? null, { slug, enabled, domain }));
      const after = { slug, enabled };
      await recordChange(tx, {
        orgId,
        action: 'update',
        resource: 'status_page',
        id: websiteId,
        before: stored ? { slug: stored.slug, enabled: stored.enabled } : { enabled: false },
        after,
      });
      return tagged(toStatusPageView(after), tagSource(websiteId, after));
    });
  }
}

/** Of what these routes show; a website without a page of its own has one that is off. */
const tagSource = (id: string, page: Pick<Row, 'slug' | 'enabled'> | undefined) => ({
  id,
  slug: page?.slug ?? null,
  enabled: page?.enabled ?? false,
});
