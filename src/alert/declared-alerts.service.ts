import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { type Change, recordChanges } from '../audit/audit-log';
import { ContactStore, type HeldContact } from '../contact/contact-store';
import { Outbox } from '../delivery/outbox';
import type { Route } from '../delivery/route';
import { refusalOf } from '../identity/quota/quotas';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import type { Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { setOwner } from '../platform/database/set-owner';
import { updateRows } from '../platform/database/update-rows';
import { parseId } from '../platform/ids/id';
import { problems } from '../platform/problem/problem';
import { Turns } from '../platform/time/turns';
import { type AlertRule, type CreateAlertDto, ruleOf, toAlertRule } from './alert.dto';
import { HEARTBEAT } from '../endpoint/heartbeat/heartbeat-schedule';
import { Alert, DEFAULT_RULE, type RuleSettings } from './alert.entity';
import { ruleOfNew } from './new-rule';
import { AlertSettings, columnsOf, type NewRoute, routeOfContact } from './alert-settings';

/** The audit log shows only what a read key may see: no credentials and no addresses. */
const READER = { role: 'read' } as const;
/** The maximum number of rows in one statement, which may have 65,535 parameters. */
const INSERTED = 1000;

const MOST_ALERTS = `
  SELECT count(*)::int AS used FROM alert WHERE endpoint_id = ANY ($1::uuid[]) GROUP BY endpoint_id ORDER BY 1 DESC LIMIT 1`;
const HOLD = 'SELECT id, type FROM endpoint WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR KEY SHARE';

/** An alert to create. Its DTO has either a contact, or a type and a config. */
export interface AlertToMake {
  id: string;
  endpointId: string;
  dto: Omit<CreateAlertDto, 'endpoint_id'>;
}

/** An update to an alert. Its DTO has the same form as for a new alert. */
export type ChangedAlert = Pick<AlertToMake, 'id' | 'dto'>;

/** The preview of an update to an alert: the state before and after, as shown in the audit log. */
export interface PreviewedAlert {
  isChanged: boolean;
  before: AlertRule | null;
  after: AlertRule;
  /** Settings whose changes are hidden by a mask. */
  hidden: readonly string[];
  /** Secrets that would be generated because the client didn't send any. */
  generatedKeys: readonly string[];
}

/** Alerts for configuration documents, which preview changes and create many alerts together. */
@Injectable()
export class DeclaredAlerts {
  constructor(
    private readonly settings: AlertSettings,
    private readonly contacts: ContactStore,
    private readonly quotas: Quotas,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Returns what creating the alert would do. `contact` is the contact in the DTO. Throws the same errors as
   * `AlertService.create`.
   */
  previewNew(caller: Caller, sent: AlertToMake, contact: HeldContact | null): PreviewedAlert {
    const made = this.rowOf(caller, sent, contact);
    const { alert, route, generatedKeys } = made;
    return { isChanged: true, before: null, after: this.audited(alert, route), hidden: [], generatedKeys };
  }

  /**
   * Returns what updating the alert would do. `contact` is the contact in the DTO, and `route` is the current
   * destination. Throws the same errors as `AlertService.update`.
   */
  preview(
    caller: Caller,
    alert: Alert,
    route: Route,
    sent: AlertToMake['dto'],
    contact: HeldContact | null,
  ): PreviewedAlert {
    const { after, generatedKeys } = this.settings.changeOf(caller, { alert, route }, sent, contact);
    const rule = ruleOf(sent);
    const changed = Object.assign(new Alert(), alert, rule, after && columnsOf(after));
    const isRuleChanged = Object.entries(rule).some(([field, value]) => alert[field as keyof Alert] !== value);
    return {
      isChanged: after !== null || isRuleChanged,
      before: this.audited(alert, route),
      after: this.audited(changed, after ?? route),
      hidden: after ? ['config'] : [],
      generatedKeys,
    };
  }

  /** Returns an alert's config as shown to read keys, with secrets masked. */
  masked(alert: Alert, route: Route): object {
    return this.audited(alert, route).config;
  }

  /**
   * Creates the alerts. Except for their configs, a thousand alerts take as many statements as one. Contacts are locked
   * before endpoints. Throws `quota_exceeded`, and `not_found` for a contact.
   */
  async add(tx: Tx, caller: Caller, alerts: readonly AlertToMake[]): Promise<void> {
    if (alerts.length === 0) return;
    const { orgId } = caller;
    const contacts = await this.contacts.holdSome(tx, orgId, contactIdsOf(alerts));
    const endpointIds = [...new Set(alerts.map(({ endpointId }) => endpointId))];
    const held = await tx.query<{ id: string; type: string }>(HOLD, [orgId, endpointIds]);
    const heartbeats = new Set(held.filter(({ type }) => type === HEARTBEAT).map(({ id }) => id));
    const limits = await this.quotas.claim(tx, orgId, { alerts: alerts.length });
    const turns = new Turns();
    const made = await turns.map(alerts, (sent) =>
      this.rowOf(caller, sent, contacts.get(contactIdOf(sent) ?? '') ?? null, heartbeats.has(sent.endpointId)),
    );
    for (let from = 0; from < made.length; from += INSERTED) {
      const rows = made.slice(from, from + INSERTED).map(({ alert: { endpoint: _e, contact: _c, ...row } }) => row);
      await tx.manager.insert(Alert, rows);
    }
    const [most] = await tx.query<{ used: number }>(MOST_ALERTS, [endpointIds]);
    const limit = limits.alerts_per_endpoint;
    const refusal = refusalOf('alerts_per_endpoint', limit, (most?.used ?? 1) - 1, 1);
    if (refusal) throw refusal;
    const changes = await turns.map(made, ({ alert, route }) => {
      const after = this.audited(alert, route);
      return { orgId, resource: 'alert' as const, id: alert.id, action: 'create' as const, after };
    });
    await recordChanges(tx, changes);
  }

  /**
   * Updates several alerts that `lockSome` has locked. If more than the rule changes, alerts with an open episode or a
   * pending delivery are skipped and returned, because they need `AlertService.update`. Cost: about seven statements
   * for a thousand alerts.
   */
  async change(tx: Tx, caller: Caller, sent: readonly ChangedAlert[]): Promise<ChangedAlert[]> {
    if (sent.length === 0) return [];
    const { orgId } = caller;
    const ids = sent.map(({ id }) => id);
    const contacts = await this.contacts.holdSome(tx, orgId, contactIdsOf(sent));
    const found = await tx.manager.find(Alert, { where: { orgId, id: In(ids) } });
    const routes = await this.settings.routesOf(tx, orgId, found);
    const pending = await this.outbox.withPending(tx, ids);
    const alerts = new Map(found.map((alert) => [alert.id, alert]));
    const left: ChangedAlert[] = [];
    const changed: { after: Alert; entry: Change }[] = [];
    const turns = new Turns();
    for (const one of sent) {
      await turns.rest();
      const alert = alerts.get(one.id);
      const route = routes.get(one.id);
      if (!alert || !route) throw problems.notFound();
      const contact = contacts.get(contactIdOf(one) ?? '') ?? null;
      const { after: rerouted } = this.settings.changeOf(caller, { alert, route }, one.dto, contact);
      const rule = ruleOf(one.dto);
      const isStopped = alert.enabled && rule.enabled === false;
      if (
        (rerouted || isStopped || rule.remindEverySeconds !== undefined) &&
        (alert.triggered || pending.has(one.id))
      ) {
        left.push(one);
        continue;
      }
      const after = Object.assign(new Alert(), alert, rule, rerouted && columnsOf(rerouted));
      const next = rerouted ?? route;
      const entry: Change = {
        orgId,
        resource: 'alert',
        id: one.id,
        action: 'update',
        before: this.audited(alert, route),
        after: this.audited(after, next),
        hidden: rerouted ? ['config'] : [],
      };
      changed.push({ after, entry });
    }
    const updatedAt = this.clock.now();
    const rows = changed.map(({ after }) => ({
      ...Object.fromEntries(SAVED.map((name) => [name, after[name]])),
      id: after.id,
      updatedAt,
    }));
    await updateRows(tx, Alert, rows);
    await recordChanges(
      tx,
      changed.map(({ entry }) => entry),
    );
    return left;
  }

  /** Locks several alerts in ID order, as `AlertService.update` does for one. */
  async lockSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
    await tx.query('SELECT FROM alert WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE', [
      orgId,
      ids,
    ]);
  }

  /** Sets the owner, which only configuration documents do. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'alert', orgId, ids, owner);
  }

  /** Sets the owner of the alerts that a document's new endpoints got through default contacts. */
  async ownOfNew(tx: Tx, orgId: string, endpointIds: readonly string[], owner: string): Promise<void> {
    if (endpointIds.length === 0) return;
    await tx.query(
      'UPDATE alert SET owner = $3 WHERE org_id = $1 AND endpoint_id = ANY ($2::uuid[]) AND owner IS NULL',
      [orgId, endpointIds, owner],
    );
  }

  /** `isOfHeartbeat` only matters for thresholds that the document leaves out. Previews don't show those. */
  private rowOf(caller: Caller, sent: AlertToMake, contact: HeldContact | null, isOfHeartbeat = false): MadeAlert {
    const { id, endpointId, dto } = sent;
    const own = this.settings.ownOfNew(caller, id, dto);
    if (!own && !contact) throw new Error('the contact that was sent is not held');
    const { route, defaults, generatedKeys } = own ?? throughContact(contact as HeldContact);
    const now = this.clock.now();
    const bare = { id, orgId: caller.orgId, endpointId, triggered: false, owner: null };
    const rule = { ...DEFAULT_RULE, ...ruleOfNew(ruleOf(dto), ruleOf(defaults), isOfHeartbeat) };
    const stamps = { createdAt: now, updatedAt: now };
    return { alert: Object.assign(new Alert(), bare, columnsOf(route), rule, stamps), route, generatedKeys };
  }

  private audited(alert: Alert, route: Route): AlertRule {
    return toAlertRule(alert, this.settings.present(READER, { alert, route }).config);
  }
}

interface MadeAlert {
  alert: Alert;
  route: Route;
  generatedKeys: readonly string[];
}

const throughContact = (contact: HeldContact): NewRoute => ({
  generatedKeys: [],
  route: routeOfContact(contact),
  defaults: contact.defaults,
});

/** The alert fields that a client may change. */
const SAVED = [
  ...(Object.keys(DEFAULT_RULE) as (keyof RuleSettings)[]),
  'contactId',
  'type',
  'config',
] as const satisfies readonly (keyof Alert)[];

const contactIdOf = ({ dto }: ChangedAlert): string | null => parseId('contact', dto.contact_id);

const contactIdsOf = (alerts: readonly ChangedAlert[]): string[] => [
  ...new Set(alerts.map(contactIdOf).filter((id) => id !== null)),
];
