import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import type { Page, PageQuery } from '../platform/http/page';
import { formatId, newUuid } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { WebsiteService } from '../website/website.service';
import { CHECKED_SETTINGS } from './check-definition';
import { EndpointsStopped } from './endpoint-events';
import { EndpointSchedule } from './endpoint-schedule';
import { EndpointSettingsResolver } from './endpoint-settings';
import {
  type CreateEndpointDto,
  type EndpointView,
  MASKED_SETTINGS,
  toAuditView,
  type UpdateEndpointDto,
} from './endpoint.dto';
import { Endpoint, type EndpointSettings, settingsOf } from './endpoint.entity';
import { EndpointRepository } from './endpoint.repository';
import { OUTCOME_CODE } from './outcome-code';

/** Endpoints of one organization: what is checked, how often, and how a response is judged. */
@Injectable()
export class EndpointService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly settings: EndpointSettingsResolver,
    private readonly schedule: EndpointSchedule,
    private readonly repository: EndpointRepository,
    private readonly events: TransactionEvents,
  ) {}

  /** One statement for the page, one for the count, one that tells another organization's website from an empty one. */
  async list(caller: Caller, websiteId: string, query: PageQuery): Promise<Page<EndpointView>> {
    await this.websites.get(caller.orgId, websiteId);
    return this.repository.list(caller, websiteId, query);
  }

  get(caller: Caller, id: string): Promise<EndpointView> {
    return this.repository.view(this.database, caller, id);
  }

  /** Due at once, then on its grid. */
  async create(caller: Caller, websiteId: string, dto: CreateEndpointDto): Promise<EndpointView> {
    const id = newUuid();
    const settings = this.settings.resolve(id, dto, null, caller);
    await this.database.transaction(async (tx) => {
      const website = await this.websites.lock(tx, caller.orgId, websiteId);
      if (dto.website_id !== undefined && dto.website_id !== formatId('website', websiteId)) throw immutableWebsite();
      await this.repository.insert(tx, { id, orgId: caller.orgId, websiteId }, settings);
      await this.schedule.add(tx, {
        endpointId: id,
        orgId: caller.orgId,
        ...settings,
        active: settings.enabled && website.enabled,
        revision: 1,
      });
      const after = toAuditView(websiteId, settings);
      await recordChange(tx, { ...about(caller.orgId, id), action: 'create', after });
    });
    return this.get(caller, id);
  }

  /** Partial. A change of what is checked is due at once; a change of `type` or `url` starts a new streak. */
  update(caller: Caller, id: string, dto: UpdateEndpointDto): Promise<EndpointView> {
    return this.database.transaction(async (tx) => {
      const endpoint = await this.lock(tx, caller.orgId, id);
      if (dto.website_id !== undefined && dto.website_id !== formatId('website', endpoint.websiteId))
        throw immutableWebsite();
      const stored = settingsOf(endpoint);
      const settings = this.settings.resolve(id, dto, stored, caller);
      const isChanged = (key: keyof EndpointSettings) => JSON.stringify(settings[key]) !== JSON.stringify(stored[key]);
      const hasNewCheck = CHECKED_SETTINGS.some(isChanged);
      const revision = endpoint.revision + (hasNewCheck ? 1 : 0);
      await this.repository.save(tx, endpoint, { ...settings, revision });
      if (isChanged('url') || isChanged('type')) await this.startNewStreak(tx, id);
      await this.reschedule(
        tx,
        { ...endpoint, ...settings, revision },
        hasNewCheck || (settings.enabled && !endpoint.enabled),
      );
      if (endpoint.enabled && !settings.enabled)
        await this.events.emit(new EndpointsStopped(caller.orgId, [id], 'disabled'), tx);
      await recordChange(tx, {
        ...about(caller.orgId, id),
        action: 'update',
        before: toAuditView(endpoint.websiteId, stored),
        after: toAuditView(endpoint.websiteId, settings),
        hidden: MASKED_SETTINGS.filter(isChanged),
      });
      return this.repository.view(tx, caller, id);
    });
  }

  remove(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const endpoint = await this.lock(tx, orgId, id);
      await this.events.emit(new EndpointsStopped(orgId, [id], 'deleted'), tx);
      await tx.manager.delete(Endpoint, { id });
      const before = toAuditView(endpoint.websiteId, settingsOf(endpoint));
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before });
    });
  }

  /** Throws `not_found` unless the endpoint is this organization's; it cannot be deleted until the transaction ends. */
  async hold(tx: Tx, orgId: string, id: string): Promise<void> {
    const rows = await tx.query('SELECT 1 FROM endpoint WHERE org_id = $1 AND id = $2 FOR KEY SHARE', [orgId, id]);
    if (rows.length === 0) throw problems.notFound();
  }

  /** Throws `not_found` unless the endpoint is this organization's; returns its internal history key. */
  async require(orgId: string, id: string, sql: Sql = this.database): Promise<{ key: string }> {
    const [row] = await sql.query<{ key: string }>(
      'SELECT key::text AS key FROM endpoint WHERE org_id = $1 AND id = $2',
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    return row;
  }

  /** The website was enabled or disabled: so are its endpoints, in the same transaction. */
  async followWebsite(tx: Tx, websiteId: string, on: boolean): Promise<void> {
    await this.schedule.switchWebsite(tx, websiteId, on);
  }

  /** Endpoints of a website with their state rows locked in id order, the order in which the recorder locks them. */
  async lockOfWebsite(tx: Tx, websiteId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `SELECT s.endpoint_id AS id FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id
        WHERE e.website_id = $1 ORDER BY s.endpoint_id FOR UPDATE OF s`,
      [websiteId],
    );
    return rows.map((row) => row.id);
  }

  /** The state row first, as the recorder does: the same order everywhere, so that the two cannot deadlock. */
  private async lock(tx: Tx, orgId: string, id: string): Promise<Endpoint> {
    await tx.query('SELECT 1 FROM endpoint_state WHERE endpoint_id = $1 AND org_id = $2 FOR UPDATE', [id, orgId]);
    const endpoint = await tx.manager.findOne(Endpoint, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
    if (!endpoint) throw problems.notFound();
    return endpoint;
  }

  private async reschedule(tx: Tx, endpoint: Endpoint, dueAtOnce: boolean): Promise<void> {
    const website = await this.websites.find(tx, endpoint.websiteId);
    await this.schedule.change(
      tx,
      { ...endpoint, endpointId: endpoint.id, active: endpoint.enabled && website.enabled },
      dueAtOnce,
    );
  }

  private async startNewStreak(tx: Tx, id: string): Promise<void> {
    await tx.query(
      `UPDATE endpoint_state SET consecutive_failures = 0, consecutive_successes = 0, failing_since = NULL, status = $2, status_since = now(),
              certificate_expires_at = NULL WHERE endpoint_id = $1`,
      [id, OUTCOME_CODE.unknown],
    );
  }
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'endpoint', id }) as const;

const immutableWebsite = () =>
  problems.validationFailed([
    { pointer: '/website_id', code: 'immutable', message: 'an endpoint cannot be moved to another website' },
  ]);
