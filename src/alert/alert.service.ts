import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, MoreThan } from 'typeorm';
import { recordChange } from '../audit/audit-log';
import { lastDeliveries, type Summaries } from '../delivery/delivery-summary';
import { EndpointService } from '../endpoint/endpoint.service';
import type { Caller } from '../platform/access/caller';
import { Database, type Tx } from '../platform/database/database';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, together } from '../platform/problem/findings';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { AlertSettings, type ResolvedConfig } from './alert-settings';
import {
  type AlertQuery,
  type AlertRule,
  type AlertView,
  type CreateAlertDto,
  toAlertRule,
  type UpdateAlertDto,
} from './alert.dto';
import { Alert } from './alert.entity';
import { AlertLifecycle } from './incident/alert-lifecycle';

const LIST = 'alerts';
const DEFAULT_LIMIT = 1000;
/** Of a filtered list: what is counted for its `X-Total-Count`. */
const MOST_COUNTED = 1000;
/** The audit log shows what a read key sees: no credential, no address. */
const READER = { role: 'read' } as const;

/** Alert rules of one organization. Every method throws `not_found` for anything of another organization. */
@Injectable()
export class AlertService {
  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointService,
    private readonly settings: AlertSettings,
    private readonly lifecycle: AlertLifecycle,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  /** Oldest first; one statement for the page (two when filtered by website), one for its last deliveries, one for the count, unless the page is all. */
  async list(caller: Caller, query: AlertQuery): Promise<Page<AlertView>> {
    const { orgId } = caller;
    const filters = filtersOf(query);
    const where = { orgId, ...filters };
    const { manager } = this.database;
    const page = await this.cursors.paginate<Alert>({
      orgId,
      list: LIST,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: LARGE_ROWS,
      idOf: ({ id }) => id,
      read: (after, take) =>
        manager.find(Alert, {
          where: after === null ? where : { ...where, id: MoreThan(after) },
          order: { id: 'ASC' },
          take,
        }),
      total: () => this.total(orgId, filters),
    });
    const ids = page.items.map(({ id }) => id);
    const last = await lastDeliveries(this.database, orgId, ids);
    return page.map((alert) => this.view(caller, alert, last));
  }

  async get(caller: Caller, id: string): Promise<AlertView> {
    const alert = await this.database.manager.findOneBy(Alert, { orgId: caller.orgId, id });
    if (!alert) throw problems.notFound();
    return this.view(caller, alert, await lastDeliveries(this.database, caller.orgId, [id]));
  }

  /** Counts from the endpoint's running streak: on a failing endpoint it may trigger with the next result. */
  create(caller: Caller, dto: CreateAlertDto): Promise<AlertView> {
    const id = newUuid();
    const { type, config, destination, generatedKeys } = this.settings.resolve(caller, id, dto, null);
    const endpointId = parseId('endpoint', dto.endpoint_id);
    if (endpointId === null) throw problems.notFound();
    return this.database.transaction(async (tx) => {
      await this.endpoints.hold(tx, caller.orgId, endpointId);
      await this.settings.claim(tx, caller.orgId, endpointId);
      const now = this.clock.now();
      const target = { orgId: caller.orgId, endpointId, type, config, destination };
      await tx.manager.insert(Alert, { id, ...target, ...ruleOf(dto), createdAt: now, updatedAt: now });
      const alert = await this.lock(tx, caller.orgId, id);
      await recordChange(tx, { ...about(caller.orgId, id), action: 'create', after: this.audited(alert) });
      return this.view(caller, alert, new Map(), generatedKeys);
    });
  }

  /** Partial. What the change means for an open incident is written in the same transaction. */
  update(caller: Caller, id: string, dto: UpdateAlertDto): Promise<AlertView> {
    return this.database.transaction(async (tx) => {
      const alert = await this.lock(tx, caller.orgId, id);
      const resolved = this.settings.resolve(caller, id, dto, alert, otherEndpoint(dto, alert));
      const { type, config, destination, isChanged, generatedKeys } = resolved;
      const rule = ruleOf(dto);
      const isEdited =
        isChanged || Object.entries(rule).some(([field, value]) => alert[field as keyof Alert] !== value);
      const last = await lastDeliveries(tx, caller.orgId, [id]);
      if (!isEdited) return this.view(caller, alert, last);
      const before = this.audited(alert);
      const edit = { enabled: rule.enabled ?? alert.enabled, type, config, destination, hasNewConfig: isChanged };
      await this.lifecycle.change(tx, alert, edit, () => this.save(tx, id, resolved, rule));
      const changed = await this.lock(tx, caller.orgId, id);
      const hidden = isChanged ? ['config'] : [];
      const after = this.audited(changed);
      await recordChange(tx, { ...about(caller.orgId, id), action: 'update', before, after, hidden });
      return this.view(caller, changed, last, generatedKeys);
    });
  }

  /** What `create` would refuse in these fields. */
  findingsInNew(caller: Caller, fields: Partial<CreateAlertDto>): Findings {
    return this.settings.findingsIn(caller, newUuid(), fields, null);
  }

  /** What `update` would refuse in these fields; nothing for an alert that is not there. */
  async findingsIn(caller: Caller, publicId: string | undefined, fields: UpdateAlertDto): Promise<Findings> {
    const { orgId } = caller;
    const id = parseId('alert', publicId);
    const alert = id && (await this.database.manager.findOneBy(Alert, { orgId, id }));
    if (!alert) return NO_FINDINGS;
    return together([this.settings.findingsIn(caller, alert.id, fields, alert), otherEndpoint(fields, alert)]);
  }

  /** Past events stay. */
  remove(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const alert = await this.lock(tx, orgId, id);
      await this.lifecycle.deleting(tx, id);
      await tx.manager.delete(Alert, { id });
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before: this.audited(alert) });
    });
  }

  /** From the kept counter. Filtered ones have to be counted: up to a thousand, `null` beyond. */
  private async total(orgId: string, filters: FindOptionsWhere<Alert>): Promise<number | null> {
    if (Object.keys(filters).length === 0) {
      const [row] = await this.database.query<{ alerts: number }>(
        'SELECT alerts FROM organization_listed WHERE org_id = $1',
        [orgId],
      );
      return row?.alerts ?? 0;
    }
    const found = await this.database.manager.find(Alert, {
      select: { id: true },
      where: { orgId, ...filters },
      take: MOST_COUNTED + 1,
    });
    return found.length > MOST_COUNTED ? null : found.length;
  }

  /** A trigger of the table clears the destination when type or config change, hence the second statement. */
  private async save(tx: Tx, id: string, resolved: ResolvedConfig, rule: Partial<Alert>): Promise<void> {
    const { type, config, destination, isChanged } = resolved;
    await tx.manager.update(Alert, { id }, { type, config, ...rule, updatedAt: this.clock.now() });
    if (isChanged) await tx.query('UPDATE alert SET destination = $2 WHERE id = $1', [id, destination]);
  }

  private async lock(tx: Tx, orgId: string, id: string): Promise<Alert> {
    const alert = await tx.manager.findOne(Alert, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
    if (!alert) throw problems.notFound();
    return alert;
  }

  private view(caller: Caller, alert: Alert, last: Summaries, generatedKeys: readonly string[] = []): AlertView {
    const { config, destination } = this.settings.present(caller, alert, generatedKeys);
    return { ...toAlertRule(alert, config), destination, last_delivery: last.get(alert.id) ?? null };
  }

  private audited(alert: Alert): AlertRule {
    return toAlertRule(alert, this.settings.present(READER, alert).config);
  }
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'alert', id }) as const;

/** The plain fields that were sent. */
function ruleOf(dto: UpdateAlertDto | CreateAlertDto): Partial<Alert> {
  return Object.fromEntries(
    Object.entries({
      condition: dto.condition,
      failureThreshold: dto.failure_threshold,
      successThreshold: dto.success_threshold,
      sendOnResolved: dto.send_on_resolved,
      description: dto.description,
      enabled: dto.enabled,
    }).filter(([, value]) => value !== undefined),
  );
}

function otherEndpoint(dto: UpdateAlertDto, alert: Alert): Findings {
  if (dto.endpoint_id === undefined || parseId('endpoint', dto.endpoint_id) === alert.endpointId) return NO_FINDINGS;
  const message = 'endpoint_id cannot be changed; create another alert';
  return { invalid: [{ pointer: '/endpoint_id', code: 'immutable', message }], forbidden: [] };
}

/** Ids were validated with the query; a missing one filters nothing. */
function filtersOf(query: AlertQuery): FindOptionsWhere<Alert> {
  const where: FindOptionsWhere<Alert> = {};
  const endpointId = parseId('endpoint', query.endpoint_id);
  const websiteId = parseId('website', query.website_id);
  if (endpointId !== null) where.endpointId = endpointId;
  if (websiteId !== null) where.endpoint = { websiteId };
  if (query.type !== undefined) where.type = query.type;
  if (query.enabled !== undefined) where.enabled = query.enabled;
  if (query.triggered !== undefined) where.triggered = query.triggered;
  return where;
}
