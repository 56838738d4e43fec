import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, MoreThan } from 'typeorm';
import { recordChange } from '../audit/audit-log';
import { EndpointService } from '../endpoint/endpoint.service';
import type { Caller } from '../platform/access/caller';
import { Database, type Tx } from '../platform/database/database';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { newUuid, parseId } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { AlertSettings, type ResolvedConfig } from './alert-settings';
import { type AlertQuery, type AlertView, type CreateAlertDto, toAlertView, type UpdateAlertDto } from './alert.dto';
import { Alert } from './alert.entity';
import { AlertLifecycle } from './incident/alert-lifecycle';

const LIST = 'alerts';
const DEFAULT_LIMIT = 1000;
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

  /** Oldest first; one statement for the page (two when filtered by website), one for the count. */
  async list(caller: Caller, query: AlertQuery): Promise<Page<AlertView>> {
    const { orgId } = caller;
    const where = { orgId, ...filtersOf(query) };
    const { manager } = this.database.dataSource;
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
      total: () => manager.countBy(Alert, where),
    });
    return page.map((alert) => this.view(caller, alert));
  }

  async get(caller: Caller, id: string): Promise<AlertView> {
    const alert = await this.database.dataSource.manager.findOneBy(Alert, { orgId: caller.orgId, id });
    if (!alert) throw problems.notFound();
    return this.view(caller, alert);
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
      await recordChange(tx, { ...about(caller.orgId, id), action: 'create', after: this.view(READER, alert) });
      return this.view(caller, alert, generatedKeys);
    });
  }

  /** Partial. What the change means for an open incident is written in the same transaction. */
  update(caller: Caller, id: string, dto: UpdateAlertDto): Promise<AlertView> {
    return this.database.transaction(async (tx) => {
      const alert = await this.lock(tx, caller.orgId, id);
      refuseOtherEndpoint(dto, alert);
      const resolved = this.settings.resolve(caller, id, dto, alert);
      const { type, config, destination, isChanged, generatedKeys } = resolved;
      const rule = ruleOf(dto);
      const isEdited =
        isChanged || Object.entries(rule).some(([field, value]) => alert[field as keyof Alert] !== value);
      if (!isEdited) return this.view(caller, alert);
      const before = this.view(READER, alert);
      const edit = { enabled: rule.enabled ?? alert.enabled, type, config, destination, hasNewConfig: isChanged };
      await this.lifecycle.change(tx, alert, edit, () => this.save(tx, id, resolved, rule));
      const changed = await this.lock(tx, caller.orgId, id);
      const hidden = isChanged ? ['config'] : [];
      const after = this.view(READER, changed);
      await recordChange(tx, { ...about(caller.orgId, id), action: 'update', before, after, hidden });
      return this.view(caller, changed, generatedKeys);
    });
  }

  /** Past events stay. */
  remove(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const alert = await this.lock(tx, orgId, id);
      await this.lifecycle.deleting(tx, id);
      await tx.manager.delete(Alert, { id });
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before: this.view(READER, alert) });
    });
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

  private view(caller: Pick<Caller, 'role'>, alert: Alert, generatedKeys: readonly string[] = []): AlertView {
    return toAlertView(alert, this.settings.present(caller, alert, generatedKeys));
  }
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'alert', id }) as const;

/** The plain fields that were sent. */
function ruleOf(dto: UpdateAlertDto | CreateAlertDto): Partial<Alert> {
  return Object.fromEntries(
    Object.entries({
      failureThreshold: dto.failure_threshold,
      successThreshold: dto.success_threshold,
      sendOnResolved: dto.send_on_resolved,
      description: dto.description,
      enabled: dto.enabled,
    }).filter(([, value]) => value !== undefined),
  );
}

function refuseOtherEndpoint(dto: UpdateAlertDto, alert: Alert): void {
  if (dto.endpoint_id === undefined || parseId('endpoint', dto.endpoint_id) === alert.endpointId) return;
  throw problems.validationFailed([
    { pointer: '/endpoint_id', code: 'immutable', message: 'endpoint_id cannot be changed; create another alert' },
  ]);
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
