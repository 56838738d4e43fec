import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import { Quotas } from '../identity/quota/quotas.service';
import { Database, type Tx } from '../platform/database/database';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { WebsiteService } from '../website/website.service';
import { PublicStatusService } from './public-status.service';
import { type StatusPageView, toStatusPageView, type UpdateStatusPageDto } from './status-page.dto';

interface Row {
  slug: string;
  enabled: boolean;
}

/** A slug from a name: `Example Shop & Söhne` → `example-shop-sohne`. May be shorter than a slug must be. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');

/** Whether a website has a public page, and at which address. */
@Injectable()
export class StatusPageService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly publicStatus: PublicStatusService,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
  ) {}

  /** The pages of deleted websites are gone at once. */
  async forget(tx: Tx, websiteIds: readonly string[]): Promise<void> {
    const pages = await tx.query<{ slug: string }>(
      'DELETE FROM status_page WHERE website_id = ANY ($1::uuid[]) RETURNING slug',
      [websiteIds],
    );
    tx.afterCommit(() => {
      for (const { slug } of pages) this.publicStatus.forget(slug);
    });
  }

  async get(orgId: string, websiteId: string): Promise<StatusPageView> {
    await this.websites.get(orgId, websiteId);
    const [row] = await this.database.query<Row>('SELECT slug, enabled FROM status_page WHERE website_id = $1', [
      websiteId,
    ]);
    return toStatusPageView(row);
  }

  /** Partial. Throws `conflict` for a slug that another page uses; the default is made from the website's name. */
  async update(orgId: string, websiteId: string, dto: UpdateStatusPageDto): Promise<StatusPageView> {
    const { name } = await this.websites.get(orgId, websiteId);
    return this.database.transaction(async (tx) => {
      await this.websites.lock(tx, orgId, websiteId);
      const [stored] = await tx.query<Row>('SELECT slug, enabled FROM status_page WHERE website_id = $1', [websiteId]);
      const slug = dto.slug ?? stored?.slug ?? (await this.freeSlug(tx, name));
      const enabled = dto.enabled ?? stored?.enabled ?? false;
      const [taken] = await tx.query('SELECT 1 FROM status_page WHERE slug = $1 AND website_id <> $2', [
        slug,
        websiteId,
      ]);
      if (taken) throw problems.conflict(`The address "${slug}" is taken.`);
      if (!stored) await this.quotas.claim(tx, orgId, { status_pages: 1 });
      await tx.query(
        `INSERT INTO status_page (website_id, org_id, slug, enabled, updated_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (website_id) DO UPDATE SET slug = excluded.slug, enabled = excluded.enabled, updated_at = excluded.updated_at`,
        [websiteId, orgId, slug, enabled, this.clock.now()],
      );
      tx.afterCommit(() => {
        for (const changed of [slug, stored?.slug ?? slug]) this.publicStatus.forget(changed);
      });
      const after = { slug, enabled };
      await recordChange(tx, {
        orgId,
        action: 'update',
        resource: 'status_page',
        id: websiteId,
        before: stored ?? { enabled: false },
        after,
      });
      return toStatusPageView(after);
    });
  }

  /** The slug of the name when it is free and long enough, otherwise with a random suffix. */
  private async freeSlug(tx: Tx, name: string): Promise<string> {
    const slug = slugOf(name);
    const [taken] = await tx.query('SELECT 1 FROM status_page WHERE slug = $1', [slug]);
    return slug.length >= 3 && !taken ? slug : `${slug || 'status'}-${randomBytes(4).toString('hex')}`;
  }
}
