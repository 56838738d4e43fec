import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { AlertDefaults } from '../alert-rule/alert-rule';
import { ContactStore, type HeldContact } from '../contact/contact-store';
import {
  type AcceptedConfig,
  ChannelSettings,
  type SentConfig,
  type StoredConfig,
} from '../delivery/config/channel-settings';
import { ownerOf, SealedConfigs } from '../delivery/config/sealed-config';
import type { Route } from '../delivery/route';
import { refusalOf } from '../identity/quota/quotas';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import type { Sql, Tx } from '../platform/database/database';
import { parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse, together } from '../platform/problem/findings';
import { type FieldProblem, problems } from '../platform/problem/problem';
import { Alert } from './alert.entity';
import { type RouteChange, routeChangeOf } from './contact/route-change';

/** What a client sends of what an alert notifies through. */
export type SentRouteFields = SentConfig & { contact_id?: string | null | undefined };

/** What a new alert notifies through. */
export interface NewRoute {
  route: Route;
  /** What the alert begins with where the client says nothing: those of its contact. */
  defaults: AlertDefaults;
  /** Secrets generated for this request: shown in its response and never again. */
  generatedKeys: readonly string[];
}

/** What a change makes of it; `after` is `null` where it stays. */
export interface ChangedRoute {
  after: Route | null;
  generatedKeys: readonly string[];
}

/** An alert and what it notifies through now. */
export interface RoutedAlert {
  alert: Alert;
  route: Route;
}

/** What an alert notifies through, between the API and its row; and whether there is room for one more. */
@Injectable()
export class AlertSettings {
  constructor(
    private readonly channels: ChannelSettings,
    private readonly contacts: ContactStore,
    private readonly sealed: SealedConfigs,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Room for one more alert on a held endpoint, or `quota_exceeded`. The claim keeps parallel creations apart, so that the
   * count of the endpoint's alerts is exact, too.
   */
  async claim(tx: Tx, orgId: string, endpointId: string): Promise<void> {
    const limits = await this.quotas.claim(tx, orgId, { alerts: 1 });
    const used = await tx.manager.countBy(Alert, { endpointId });
    const refusal = refusalOf('alerts_per_endpoint', limits.alerts_per_endpoint, used, 1);
    if (refusal) throw refusal;
  }

  /** The contact that the fields name, held shared until the transaction ends; `null` when they name none. Throws `not_found`. */
  async hold(tx: Tx, orgId: string, { contact_id }: SentRouteFields): Promise<HeldContact | null> {
    const contactId = parseId('contact', contact_id);
    return contactId === null ? null : this.contacts.hold(tx, orgId, contactId);
  }

  /** The route of the contact that the fields name, as it is now; `null` when they name none. Throws `not_found`. */
  async find(sql: Sql, orgId: string, { contact_id }: SentRouteFields): Promise<HeldContact | null> {
    const contactId = parseId('contact', contact_id);
    return contactId === null ? null : this.contacts.find(sql, orgId, contactId);
  }

  /** What a new alert with a config of its own notifies through; `null` when the fields name a contact. Throws what is wrong with them. */
  ownOfNew(caller: Caller, alertId: string, sent: SentRouteFields): NewRoute | null {
    refuse(bothFindings(sent));
    if (typeof sent.contact_id === 'string') return null;
    const resolved = this.channels.resolve(caller, ownerOf(alertId, null), sent, null);
    const { type, config, destination, generatedKeys } = resolved;
    return { route: { contactId: null, type, config, destination }, defaults: {}, generatedKeys };
  }

  /** What a new alert notifies through whose fields name a contact, held shared until the transaction ends. Throws `not_found`. */
  async contactOfNew(tx: Tx, orgId: string, sent: SentRouteFields): Promise<NewRoute> {
    const contact = await this.hold(tx, orgId, sent);
    if (!contact) throw new Error('the fields name no contact');
    return { route: routeOfContact(contact), defaults: contact.defaults, generatedKeys: [] };
  }

  /** What `ownOfNew` would refuse in these fields. */
  findingsInNew(caller: Caller, alertId: string, sent: SentRouteFields): Findings {
    const both = bothFindings(sent);
    if (both.invalid.length > 0 || typeof sent.contact_id === 'string') return both;
    return this.channels.findingsIn(caller, ownerOf(alertId, null), sent, null);
  }

  /** What a locked alert notifies through. One statement where that is a contact other than `held`. */
  async routeOf(sql: Sql, { id, orgId, contactId, ...own }: Alert, held: HeldContact | null = null): Promise<Route> {
    if (contactId === null) return { contactId, ...ownConfigOf({ id, ...own }) };
    if (held?.contactId === contactId) return routeOfContact(held);
    return routeOfContact(await this.contacts.find(sql, orgId, contactId));
  }

  /** What these alerts notify through, by their ids: one statement for all contacts. Alerts whose contact is gone are missing. */
  async routesOf(sql: Sql, orgId: string, alerts: readonly Alert[]): Promise<Map<string, Route>> {
    const ids = new Set(alerts.flatMap(({ contactId }) => contactId ?? []));
    const contacts = await this.contacts.routes(sql, orgId, [...ids]);
    const routes = new Map<string, Route>();
    for (const { id, contactId, ...own } of alerts) {
      const route = contactId === null ? { contactId, ...ownConfigOf({ id, ...own }) } : contacts.get(contactId);
      if (route) routes.set(id, route);
    }
    return routes;
  }

  /** What the sent fields make of a locked alert; `contact` is what they name, held. Throws what is wrong with them and with `others`. */
  changeOf(
    caller: Caller,
    { alert, route }: RoutedAlert,
    sent: SentRouteFields,
    contact: HeldContact | null,
    others: Findings = NO_FINDINGS,
  ): ChangedRoute {
    const change = this.judge(caller, { alert, route }, sent);
    if (change.kind !== 'own') refuse(together([refusedFindings(change), others]));
    switch (change.kind) {
      case 'own': {
        const stored = this.ownCopy({ alert, route });
        const resolved = this.channels.resolve(caller, ownerOf(alert.id, null), sent, stored, others);
        const { type, config, destination, isChanged, generatedKeys } = resolved;
        const isSame = route.contactId === null && !isChanged;
        return { after: isSame ? null : { contactId: null, type, config, destination }, generatedKeys };
      }
      case 'detached': {
        const stored = this.ownCopy({ alert, route });
        if (!stored) throw unreadable();
        return { after: { contactId: null, ...stored }, generatedKeys: [] };
      }
      case 'contact': {
        if (contact?.contactId !== change.contactId) throw new Error('the contact that was sent is not held');
        return { after: routeOfContact(contact), generatedKeys: [] };
      }
      default:
        return { after: null, generatedKeys: [] };
    }
  }

  /** What `changeOf` would refuse in these fields. */
  findingsIn(caller: Caller, { alert, route }: RoutedAlert, sent: SentRouteFields): Findings {
    const change = this.judge(caller, { alert, route }, sent);
    if (change.kind !== 'own') return refusedFindings(change);
    return this.channels.findingsIn(caller, ownerOf(alert.id, null), sent, this.ownCopy({ alert, route }));
  }

  /** What an alert that nothing stores would notify through; `null` when the fields name a contact. Throws what `ownOfNew` throws. */
  acceptNew(caller: Caller, sent: SentRouteFields): AcceptedConfig | null {
    refuse(bothFindings(sent));
    if (typeof sent.contact_id === 'string') return null;
    return this.channels.accept(caller, { type: sent.type ?? '', config: sent.config ?? {} });
  }

  /** The config of a contact for a test; masked as read keys see it. Throws `conflict` when it cannot be opened. */
  ofContact(contact: HeldContact | null): AcceptedConfig {
    if (!contact) throw new Error('the fields name no contact');
    const { contactId, type, config: stored, destination } = contact;
    const owner = ownerOf('', contactId);
    const config = this.channels.opened(owner, stored);
    if (config === null) throw unreadable();
    const { config: masked } = this.channels.present({ role: 'read' }, owner, { type, config: stored });
    return { type, config, destination, masked };
  }

  /** See `ChannelSettings.present`. */
  present(
    reader: Pick<Caller, 'role'>,
    { alert, route }: RoutedAlert,
    generatedKeys: readonly string[] = [],
  ): { config: object; destination: string | null } {
    return this.channels.present(reader, ownerOf(alert.id, route.contactId), route, generatedKeys);
  }

  private judge(caller: Caller, routed: RoutedAlert, sent: SentRouteFields): RouteChange {
    const contactId = typeof sent.contact_id === 'string' ? parseId('contact', sent.contact_id) : sent.contact_id;
    const [hasType, hasConfig] = [sent.type !== undefined, sent.config !== undefined];
    const isAsShown = this.isAsShown(caller, routed, sent);
    return routeChangeOf({ contactId, hasType, hasConfig, isAsShown }, routed.route.contactId);
  }

  /**
   * Masks stand for what is stored, as ever. A credential is never compared: whether it is the stored one could be asked for
   * as often as it takes to guess it, and nothing would be written down.
   */
  private isAsShown(caller: Caller, { alert, route }: RoutedAlert, { type, config }: SentConfig): boolean {
    if (type !== undefined && type !== route.type) return false;
    if (config === undefined) return true;
    if (route.contactId !== null && this.channels.namedSecrets(route.type, config).length > 0) return false;
    const owner = ownerOf(alert.id, route.contactId);
    if (isDeepStrictEqual(config, this.channels.present(caller, owner, route).config)) return true;
    const { invalid, forbidden } = this.channels.findingsIn(caller, owner, { config }, route);
    if (invalid.length + forbidden.length > 0) return false;
    return !this.channels.resolve(caller, owner, { config }, route).isChanged;
  }

  /** Its config, sealed for the alert; `null` when that of its contact cannot be opened. */
  private ownCopy({ alert, route }: RoutedAlert): StoredConfig | null {
    const { contactId, type, config, destination } = route;
    if (contactId === null) return { type, config, destination };
    const opened = this.channels.opened(ownerOf('', contactId), config);
    return opened && { type, config: this.sealed.seal(ownerOf(alert.id, null), opened), destination };
  }
}

/** The columns of an alert that notifies through this; with a contact it has no config of its own. */
export const columnsOf = ({ contactId, type, config, destination }: Route) => ({
  contactId,
  type,
  config: contactId === null ? config : null,
  destination,
});

export const routeOfContact = ({ contactId, type, config, destination }: HeldContact): Route => ({
  contactId,
  type,
  config,
  destination,
});

function ownConfigOf({ id, type, config, destination }: Pick<Alert, 'id' | 'type' | 'config' | 'destination'>) {
  if (config === null) throw new Error(`alert ${id} does not have its own config`);
  return { type, config, destination };
}

const unreadable = () => problems.conflict('The stored config cannot be read. Save the contact again.');

const BOTH: FieldProblem = {
  pointer: '/contact_id',
  code: 'invalid_format',
  message: 'contact_id cannot be combined with type and config',
};

/** Either a contact or a type and a config. */
const bothFindings = ({ contact_id, type, config }: SentRouteFields): Findings =>
  typeof contact_id === 'string' && (type !== undefined || config !== undefined)
    ? { invalid: [BOTH], forbidden: [] }
    : NO_FINDINGS;

const refusedFindings = (change: RouteChange): Findings =>
  change.kind === 'refused' ? { invalid: [change.problem], forbidden: [] } : NO_FINDINGS;
