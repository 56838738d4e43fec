import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { recordChange } from '../audit/audit-log';
import { Quotas } from '../identity/quota/quotas.service';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { Cursors } from '../platform/http/cursors';
import type { Page, PageQuery } from '../platform/http/page';
import { NIL_UUID, newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import {
  type CreateWebsiteDto,
  toWebsiteView,
  type UpdateWebsiteDto,
  type WebsiteRow,
  type WebsiteView,
} from './website.dto';
import { WebsitesDeleted, WebsiteStarted, WebsiteStopped } from './website-events';
import { WebsitePurgeJob } from './website-purge.job';
import { parseWebsiteUrl } from './website-url';
import { Website } from './website.entity';

const DEFAULT_LIMIT = 1000;
/** How long a request that deletes a website helps to remove it. */
const PURGE_MS = 5 * SECOND_MS;

const SELECT = `SELECT w.*, s.endpoint_count, s.last_checked_at, s.any_down, s.any_up
  FROM website w LEFT JOIN website_summary s ON s.org_id = w.org_id AND s.website_id = w.id`;

/** Websites of one organization. Every method takes it first and throws `not_found` for anything that is not its own. */
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

  /** One statement for the page (its endpoints aggregated once by hash), one for the count. */
  async list(orgId: string, query: PageQuery): Promise<Page<WebsiteView>> {
    const page = await this.cursors.paginate<WebsiteRow>({
      orgId,
      list: 'websites',
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      idOf: (row) => row.id,
      read: (after, count) =>
        this.database.query<WebsiteRow>(
          `${SELECT} WHERE w.org_id = $1 AND w.deleted_at IS NULL AND w.id > $2 ORDER BY w.id LIMIT $3`,
          [orgId, after ?? NIL_UUID, count],
        ),
      total: () => this.count(orgId),
    });
    return page.map(toWebsiteView);
  }

  async get(orgId: string, id: string): Promise<WebsiteView> {
    return toWebsiteView(await this.read(this.database, orgId, id));
  }

  async create(orgId: string, dto: CreateWebsiteDto): Promise<WebsiteView> {
    const parsed = parseWebsiteUrl(dto.url);
    if ('problem' in parsed) throw problems.validationFailed([parsed.problem]);
    const now = this.clock.now();
    const website = {
      id: newUuid(),
      orgId,
      name: dto.name.trim(),
      url: parsed.url,
      enabled: dto.enabled ?? true,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await this.database.transaction(async (tx) => {
      await this.quotas.claim(tx, orgId, { websites: 1 });
      await tx.manager.insert(Website, website);
      await recordChange(tx, { ...about(orgId, website.id), action: 'create', after: settingsOf(website) });
    });
    return this.get(orgId, website.id);
  }

  /** Partial. Its endpoints are paused or started in the same transaction. */
  update(orgId: string, id: string, dto: UpdateWebsiteDto): Promise<WebsiteView> {
    return this.database.transaction(async (tx) => {
      const website = await this.lock(tx, orgId, id);
      if (dto.url !== undefined && !sameUrl(dto.url, website.url)) {
        throw problems.validationFailed([
          { pointer: '/url', code: 'immutable', message: 'url cannot be changed; create another website' },
        ]);
      }
      const enabled = dto.enabled ?? website.enabled;
      const name = dto.name?.trim() ?? website.name;
      if (name !== website.name || enabled !== website.enabled) {
        await tx.manager.update(Website, { id }, { name, enabled, updatedAt: this.clock.now() });
      }
      const after = settingsOf({ ...website, name, enabled });
      await recordChange(tx, { ...about(orgId, id), action: 'update', before: settingsOf(website), after });
      if (website.enabled && !enabled) await this.events.emit(new WebsiteStopped(orgId, id), tx);
      if (!website.enabled && enabled) await this.events.emit(new WebsiteStarted(orgId, id), tx);
      return toWebsiteView(await this.read(tx, orgId, id));
    });
  }

  /**
   * For good, with endpoints, alerts, events and history. Once it is marked it is gone for clients; its rows go in steps,
   * within this call or, for a large website, in the background. Open incidents are resolved, and their deliveries stored.
   */
  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const website = await this.lock(tx, orgId, id);
      await this.mark(tx, 'id = $1', id);
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before: settingsOf(website) });
    });
    await this.purge.help(orgId, id, PURGE_MS);
  }

  /** Marks every website of an organization that is being deleted. */
  async markAll(orgId: string, tx: Tx): Promise<void> {
    await this.mark(tx, 'org_id = $1', orgId);
  }

  /** The website, locked against being switched or deleted until the caller's transaction ends. */
  async lock(tx: Tx, orgId: string, id: string): Promise<Website> {
    const website = await tx.manager.findOne(Website, {
      where: { orgId, id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
    if (!website) throw problems.notFound();
    return website;
  }

  /** The website of an endpoint that is known to exist. */
  async find(tx: Tx, id: string): Promise<Website> {
    return tx.manager.findOneOrFail(Website, { where: { id } });
  }

  private async count(orgId: string): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(
      'SELECT count(*)::int AS total FROM website WHERE org_id = $1 AND deleted_at IS NULL',
      [orgId],
    );
    return row?.total ?? 0;
  }

  /** Their status pages go at once, too. */
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
const settingsOf = ({ name, url, enabled }: Pick<Website, 'name' | 'url' | 'enabled'>) => ({ name, url, enabled });

function sameUrl(sent: string, stored: string): boolean {
  const parsed = parseWebsiteUrl(sent);
  return 'url' in parsed && parsed.url === stored;
}
