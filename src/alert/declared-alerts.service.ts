import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { type Change, recordChanges } from '../audit/audit-log';
import { ContactStore, type HeldContact, unknownContact } from '../contact/contact-store';
import { Outbox } from '../delivery/outbox';
import type { Route } from '../delivery/route';
import type { Caller } from '../platform/access/caller';
import type { Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { setOwner } from '../platform/database/set-owner';
import { updateRows } from '../platform/database/update-rows';
import { parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS } from '../platform/problem/findings';
import { problems } from '../platform/problem/problem';
import { Turns } from '../platform/time/turns';
import { type AlertRule, type CreateAlertDto, ruleOf, toAlertRule, type UpdateAlertDto } from './alert.dto';
import { HEARTBEAT } from '../endpoint/heartbeat/heartbeat-schedule';
import { Alert, DEFAULT_RULE, type RuleSettings } from './alert.entity';
import { ruleOfNew } from './new-rule';
import { AlertSettings, columnsOf, type NewRoute, type RoutedAlert, routeOfContact } from './alert-settings';

/** The audit log shows only what a read key may see: no credentials and no addresses. */
const READER = { role: 'read' } as const;
/** The maximum number of rows in one statement, which may have 65,535 parameters. */
const INSERTED = 1000;

const HOLD = 'SELECT id, type FROM endpoint WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR KEY SHARE';

/** An alert to create. Its DTO has either a contact, or a type and a config. */
export interface AlertToMake {
  id: string;
  endpointId: string;
  dto: Omit<CreateAlertDto, 'endpoint_id'>;
  /** The result of `AlertSettings.ownOfNew`, if it was called before the transaction. */
  own?: NewRoute | null;
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

/** The effect of a request on a locked alert. */
export interface AlertChange {
  before: RoutedAlert;
  /** The alert as it will be stored, with its destination. */
  after: RoutedAlert;
  /** The new destination, or `null` if it doesn't change. */
  rerouted: Route | null;
  rule: Partial<RuleSettings>;
  isEdited: boolean;
  generatedKeys: readonly string[];
}

/** Creates and changes alerts, one or many together, and previews what configuration documents would do. */
@Injectable()
export class DeclaredAlerts {
  constructor(
    private readonly settings: AlertSettings,
    private readonly contacts: ContactStore,
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
    const change = this.changeOf(caller, { alert, route }, sent, contact);
    const { before, after, hidden } = this.sidesOf(change);
    return { isChanged: change.isEdited, before, after, hidden, generatedKeys: change.generatedKeys };
  }

  /**
   * Returns what the fields change. `contact` is the contact in the fields, locked. Throws if the fields are invalid or
   * `others` has findings.
   */
  changeOf(
    caller: Caller,
    before: RoutedAlert,
    dto: UpdateAlertDto,
    contact: HeldContact | null,
    others: Findings = NO_FINDINGS,
  ): AlertChange {
    const { alert, route } = before;
    const { after: rerouted, generatedKeys } = this.settings.changeOf(caller, before, dto, contact, others);
    const rule = ruleOf(dto);
    const isRuleChanged = Object.entries(rule).some(([field, value]) => alert[field as keyof Alert] !== value);
    const changed = Object.assign(new Alert(), alert, rule, rerouted && columnsOf(rerouted));
    const after = { alert: changed, route: rerouted ?? route };
    return { before, after, rerouted, rule, isEdited: rerouted !== null || isRuleChanged, generatedKeys };
  }

  /** Saves the rules and destinations of locked alerts. Cost: one statement. */
  async save(tx: Tx, changes: readonly AlertChange[], more: Partial<Alert> = {}): Promise<void> {
    const updatedAt = this.clock.now();
    const rows = changes.map(({ after: { alert } }) => ({
      ...Object.fromEntries(SAVED.map((name) => [name, alert[name]])),
      ...more,
      id: alert.id,
      updatedAt,
    }));
    await updateRows(tx, Alert, rows);
  }

  /** Returns the entry for the audit log. `after` is the alert as it was stored. */
  entryOf(change: AlertChange, after: RoutedAlert = change.after): Change {
    const { id, orgId } = change.before.alert;
    return { orgId, resource: 'alert', id, action: 'update', ...this.sidesOf({ ...change, after }) };
  }

  private sidesOf({ before, after, rerouted }: AlertChange) {
    return {
      before: this.audited(before.alert, before.route),
      after: this.audited(after.alert, after.route),
      hidden: rerouted ? ['config'] : [],
    };
  }

  /** Returns an alert's config as shown to read keys, with secrets masked. */
  masked(alert: Alert, route: Route): object {
    return this.audited(alert, route).config;
  }

  /**
   * Creates the alerts. Except for their configs, a thousand alerts take as many statements as one. Contacts are locked
   * before endpoints. Throws `quota_exceeded`, and `not_found` for a contact or an endpoint.
   */
  async add(tx: Tx, caller: Caller, alerts: readonly AlertToMake[]): Promise<readonly MadeAlert[]> {
    if (alerts.length === 0) return [];
    const { orgId } = caller;
    const contacts = await this.contacts.holdSome(tx, orgId, contactIdsOf(alerts));
    if (contacts.size < contactIdsOf(alerts).length) throw unknownContact();
    const endpointIds = [...new Set(alerts.map(({ endpointId }) => endpointId))];
    const held = await tx.query<{ id: string; type: string }>(HOLD, [orgId, endpointIds]);
    const heartbeats = new Set(held.filter(({ type }) => type === HEARTBEAT).map(({ id }) => id));
    if (held.length < endpointIds.length) throw problems.notFound();
    await this.settings.claim(
      tx,
      orgId,
      alerts.map(({ endpointId }) => endpointId),
    );
    const turns = new Turns();
    const made = await turns.map(alerts, (sent) =>
      this.rowOf(caller, sent, contacts.get(contactIdOf(sent) ?? '') ?? null, heartbeats.has(sent.endpointId)),
    );
    for (let from = 0; from < made.length; from += INSERTED) {
      const rows = made.slice(from, from + INSERTED).map(({ alert: { endpoint: _e, contact: _c, ...row } }) => row);
      await tx.manager.insert(Alert, rows);
    }
    const changes = await turns.map(made, ({ alert, route }) => {
      const after = this.audited(alert, route);
      return { orgId, resource: 'alert' as const, id: alert.id, action: 'create' as const, after };
    });
    await recordChanges(tx, changes);
    return made;
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
    const changed: AlertChange[] = [];
    const turns = new Turns();
    for (const one of sent) {
      await turns.rest();
      const alert = alerts.get(one.id);
      const route = routes.get(one.id);
      if (!alert || !route) throw problems.notFound();
      const contact = contacts.get(contactIdOf(one) ?? '') ?? null;
      const change = this.changeOf(caller, { alert, route }, one.dto, contact);
      const isOnlyRule = !change.rerouted && !isStopping(change) && change.rule.remindEverySeconds === undefined;
      if (isOnlyRule || (!alert.triggered && !pending.has(one.id))) changed.push(change);
      else left.push(one);
    }
    await this.save(tx, changed);
    await recordChanges(tx, await turns.map(changed, (change) => this.entryOf(change)));
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
    const own = sent.own ?? this.settings.ownOfNew(caller, id, dto);
    if (!own && !contact) throw new Error('the contact that was sent is not held');
    const { route, defaults, generatedKeys } = own ?? throughContact(contact as HeldContact);
    const now = this.clock.now();
    const bare = { id, orgId: caller.orgId, endpointId, triggered: false, owner: null };
    const rule = { ...DEFAULT_RULE, ...ruleOfNew(ruleOf(dto), ruleOf(defaults), isOfHeartbeat) };
    const stamps = { createdAt: now, updatedAt: now };
    return { alert: Object.assign(new Alert(), bare, columnsOf(route), rule, stamps), route, generatedKeys };
  }

  /** Returns the alert as shown in the audit log. */
  audited(alert: Alert, route: Route): AlertRule {
    return toAlertRule(alert, this.settings.present(READER, { alert, route }).config);
  }
}

export interface MadeAlert {
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
  'destination',
] as const satisfies readonly (keyof Alert)[];

/** Whether the change disables an enabled alert. */
export const isStopping = ({ before, rule }: AlertChange): boolean => before.alert.enabled && rule.enabled === false;

const contactIdOf = ({ dto }: Pick<AlertToMake, 'dto'>): string | null => parseId('contact', dto.contact_id);

const contactIdsOf = (alerts: readonly Pick<AlertToMake, 'dto'>[]): string[] => [
  ...new Set(alerts.map(contactIdOf).filter((id) => id !== null)),
];
