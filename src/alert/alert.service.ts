import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, MoreThan } from 'typeorm';
import { recordChange } from '../audit/audit-log';
import { lastDeliveries, type Summaries } from '../delivery/delivery-summary';
import type { Route } from '../delivery/route';
import type { Caller } from '../platform/access/caller';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { requireMatch } from '../platform/http/precondition/precondition';
import { tagged } from '../platform/http/precondition/entity-tags';
import { toFields } from '../platform/database/field-names';
import { newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, together } from '../platform/problem/findings';
import { problems } from '../platform/problem/problem';
import { SECOND_MS } from '../platform/time/time-units';
import { AlertSettings } from './alert-settings';
import {
  type AlertQuery,
  type AlertView,
  type CreateAlertDto,
  RULE_FIELDS,
  toAlertRule,
  type UpdateAlertDto,
} from './alert.dto';
import { Alert } from './alert.entity';
import { DeclaredAlerts } from './declared-alerts.service';
import { AlertLifecycle } from './episode/alert-lifecycle';

const LIST = 'alerts';
const DEFAULT_LIMIT = 1000;
/** The limit up to which a filtered list is counted for its `X-Total-Count`. */
const MOST_COUNTED = 1000;

/** One organization's alert rules. Every method throws `not_found` for resources of another organization. */
@Injectable()
export class AlertService {
  constructor(
    private readonly database: Database,
    private readonly settings: AlertSettings,
    private readonly declared: DeclaredAlerts,
    private readonly lifecycle: AlertLifecycle,
    private readonly cursors: Cursors,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Returns a page, oldest first. Cost: one statement for the page (two if filtered by website), one for its last
   * deliveries, and one for its contacts if there are any. One more for the count, unless the page contains everything.
   */
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
    const routes = await this.routesOf(orgId, page.items);
    return page.map((alert) => this.view(caller, { alert, route: routes.get(alert.id) }, last));
  }

  async get(caller: Caller, id: string): Promise<AlertView> {
    const alert = await this.database.manager.findOneBy(Alert, { orgId: caller.orgId, id });
    if (!alert) throw problems.notFound();
    const routes = await this.routesOf(caller.orgId, [alert]);
    const last = await lastDeliveries(this.database, caller.orgId, [id]);
    return this.view(caller, { alert, route: routes.get(id) }, last);
  }

  /**
   * Creates an alert. It counts from the endpoint's current streak, so on a failing endpoint it may trigger with the
   * next result.
   */
  create(caller: Caller, dto: CreateAlertDto): Promise<AlertView> {
    const { orgId } = caller;
    const id = newUuid();
    const own = this.settings.ownOfNew(caller, id, dto);
    const endpointId = parseId('endpoint', dto.endpoint_id);
    if (endpointId === null) throw problems.notFound();
    return this.database.transaction(async (tx) => {
      const [made] = await this.declared.add(tx, caller, [{ id, endpointId, dto, own }]);
      if (!made) throw new Error('the alert was not created');
      const alert = await this.lock(tx, orgId, id);
      return this.view(caller, { alert, route: made.route }, new Map(), made.generatedKeys);
    });
  }

  /**
   * Changes the fields that were sent. The effects on an open episode are written in the same transaction. A contact in
   * the fields is locked before the alert. The current contact can't be deleted while the alert is locked.
   */
  update(caller: Caller, id: string, dto: UpdateAlertDto): Promise<AlertView> {
    const { orgId } = caller;
    return this.database.transaction(async (tx) => {
      const contact = await this.settings.hold(tx, orgId, dto);
      const alert = await this.lock(tx, orgId, id);
      requireMatch(tagSource(alert));
      const routed = { alert, route: await this.settings.routeOf(tx, alert, contact) };
      const change = this.declared.changeOf(caller, routed, dto, contact, otherEndpoint(dto, alert));
      const { rule, rerouted: after } = change;
      const last = await lastDeliveries(tx, orgId, [id]);
      if (!change.isEdited) return this.view(caller, routed, last);
      const edit = { enabled: rule.enabled ?? alert.enabled, before: routed.route, after };
      const reminders = this.remindersAfter(alert, rule);
      await this.lifecycle.change(tx, alert, edit, () => this.declared.save(tx, [change], reminders));
      const changed = { alert: await this.lock(tx, orgId, id), route: change.after.route };
      await recordChange(tx, this.declared.entryOf(change, changed));
      return this.view(caller, changed, last, change.generatedKeys);
    });
  }

  /** Returns the errors that `create` would find in these fields. */
  findingsInNew(caller: Caller, fields: Partial<CreateAlertDto>): Findings {
    return this.settings.findingsInNew(caller, newUuid(), fields);
  }

  /** Returns the errors that `update` would find in these fields, or nothing if the alert doesn't exist. */
  async findingsIn(caller: Caller, publicId: string | undefined, fields: UpdateAlertDto): Promise<Findings> {
    const { orgId } = caller;
    const id = parseId('alert', publicId);
    const alert = id && (await this.database.manager.findOneBy(Alert, { orgId, id }));
    const route = alert && (await this.routesOf(orgId, [alert])).get(alert.id);
    if (!alert || !route) return NO_FINDINGS;
    return together([this.settings.findingsIn(caller, { alert, route }, fields), otherEndpoint(fields, alert)]);
  }

  /** Deletes the alert. Its past events are kept. */
  remove(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const alert = await this.lock(tx, orgId, id);
      requireMatch(tagSource(alert));
      const before = this.declared.audited(alert, await this.settings.routeOf(tx, alert));
      await this.lifecycle.deleting(tx, id);
      await tx.manager.delete(Alert, { id });
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before });
    });
  }

  /**
   * Reads the maintained counter. Filtered lists have to be counted, up to a thousand. The result is `null` if there
   * are more.
   */
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

  /** A changed period starts now. Without a period, the open episode gets no more reminders. */
  private remindersAfter(before: Alert, { remindEverySeconds: period }: Partial<Alert>): Partial<Alert> {
    if (period === undefined || period === before.remindEverySeconds) return {};
    const now = this.clock.now().getTime();
    return { remindAt: before.triggered && period !== null ? new Date(now + period * SECOND_MS) : null };
  }

  /**
   * Returns these alerts' destinations. If a contact is replaced between the two reads, its alerts are read again to
   * get their current destination.
   */
  private async routesOf(orgId: string, alerts: readonly Alert[]): Promise<Map<string, Route>> {
    const routes = await this.settings.routesOf(this.database, orgId, alerts);
    const moved = alerts.filter(({ id }) => !routes.has(id));
    if (moved.length === 0) return routes;
    const present = await this.database.manager.findBy(Alert, { orgId, id: In(moved.map(({ id }) => id)) });
    const fresh = new Map(present.map((alert) => [alert.id, alert]));
    for (const alert of moved) Object.assign(alert, fresh.get(alert.id));
    return new Map([...routes, ...(await this.settings.routesOf(this.database, orgId, present))]);
  }

  private async lock(tx: Tx, orgId: string, id: string): Promise<Alert> {
    const alert = await tx.manager.findOne(Alert, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
    if (!alert) throw problems.notFound();
    return alert;
  }

  /** An alert whose contact was deleted between two reads shows no config. */
  private view(
    caller: Caller,
    { alert, route }: { alert: Alert; route: Route | undefined },
    last: Summaries,
    generatedKeys: readonly string[] = [],
  ): AlertView {
    const shown = route && this.settings.present(caller, { alert, route }, generatedKeys);
    const { config, destination, cannotSend } = shown ?? { config: {}, destination: null, cannotSend: null };
    const view = {
      ...toAlertRule(alert, config),
      destination,
      cannot_send: cannotSend,
      last_delivery: last.get(alert.id) ?? null,
    };
    return tagged(view, tagSource(alert));
  }
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'alert', id }) as const;

/** The tag covers the rule and the ID of its contact, but not the contact itself. */
const tagSource = (alert: Alert) => {
  const { id, endpointId, contactId, type, config } = alert;
  return { id, endpointId, contactId, type, config, rule: toFields(alert, RULE_FIELDS) };
};

function otherEndpoint(dto: UpdateAlertDto, alert: Alert): Findings {
  if (dto.endpoint_id === undefined || parseId('endpoint', dto.endpoint_id) === alert.endpointId) return NO_FINDINGS;
  const message = 'endpoint_id cannot be changed. Create another alert rule instead.';
  return { invalid: [{ pointer: '/endpoint_id', code: 'immutable', message }], forbidden: [] };
}

/** IDs were validated with the query. A missing ID adds no filter. */
function filtersOf(query: AlertQuery): FindOptionsWhere<Alert> {
  const where: FindOptionsWhere<Alert> = {};
  const endpointId = parseId('endpoint', query.endpoint_id);
  const websiteId = parseId('website', query.website_id);
  const contactId = parseId('contact', query.contact_id);
  if (endpointId !== null) where.endpointId = endpointId;
  if (websiteId !== null) where.endpoint = { websiteId };
  if (contactId !== null) where.contactId = contactId;
  if (query.type !== undefined) where.type = query.type;
  if (query.enabled !== undefined) where.enabled = query.enabled;
  if (query.triggered !== undefined) where.triggered = query.triggered;
  return where;
}
