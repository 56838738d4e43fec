import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { AlertDefaults } from '../alert-rule/alert-rule';
import { ContactStore, type HeldContact } from '../contact/contact-store';
import {
  type AcceptedConfig,
  ChannelSettings,
  type PresentedConfig,
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
import type { Alert } from './alert.entity';
import { type RouteChange, routeChangeOf } from './contact/route-change';

/** The request fields that set an alert's destination. */
export type SentRouteFields = SentConfig & { contact_id?: string | null | undefined };

export interface NewRoute {
  route: Route;
  /** The contact's defaults for fields that the client doesn't send. */
  defaults: AlertDefaults;
  /** Secrets generated for this request. Only its response shows them. */
  generatedKeys: readonly string[];
}

/** The changed destination. `after` is `null` if the destination doesn't change. */
export interface ChangedRoute {
  after: Route | null;
  generatedKeys: readonly string[];
}

export interface RoutedAlert {
  alert: Alert;
  route: Route;
}

/** The number of alerts that one of the endpoints will have at most. Cost: one index scan for each endpoint. */
const MOST_ALERTS = `
  SELECT max(n.added + (SELECT count(*) FROM alert a WHERE a.endpoint_id = n.id))::int AS alerts
    FROM (SELECT id, count(*) AS added FROM unnest($1::uuid[]) AS u (id) GROUP BY id) n`;

/** Converts an alert's destination between the API and its row, and checks the quota for new alerts. */
@Injectable()
export class AlertSettings {
  constructor(
    private readonly channels: ChannelSettings,
    private readonly contacts: ContactStore,
    private readonly sealed: SealedConfigs,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Claims room for new alerts on locked endpoints. `endpointIds` has one entry for each alert. The claim serializes
   * parallel requests, so that the count of the endpoints' alerts is also exact. Throws `quota_exceeded`. Cost: two
   * statements.
   */
  async claim(tx: Tx, orgId: string, endpointIds: readonly string[]): Promise<void> {
    const limits = await this.quotas.claim(tx, orgId, { alerts: endpointIds.length });
    if (limits.alerts_per_endpoint === null) return;
    const [most] = await tx.query<{ alerts: number }>(MOST_ALERTS, [endpointIds]);
    const refusal = refusalOf('alerts_per_endpoint', limits.alerts_per_endpoint, (most?.alerts ?? 1) - 1, 1);
    if (refusal) throw refusal;
  }

  /**
   * Returns the contact in the fields, with a shared lock until the transaction ends, or `null` if the fields have
   * none. Throws `not_found`.
   */
  async hold(tx: Tx, orgId: string, { contact_id }: SentRouteFields): Promise<HeldContact | null> {
    const contactId = parseId('contact', contact_id);
    return contactId === null ? null : this.contacts.hold(tx, orgId, contactId);
  }

  /** Returns the contact in the fields, as it is now, or `null` if the fields have none. Throws `not_found`. */
  async find(sql: Sql, orgId: string, { contact_id }: SentRouteFields): Promise<HeldContact | null> {
    const contactId = parseId('contact', contact_id);
    return contactId === null ? null : this.contacts.find(sql, orgId, contactId);
  }

  /**
   * Returns the destination of a new alert with its own config, or `null` if the fields have a contact. Throws if the
   * fields are invalid.
   */
  ownOfNew(caller: Caller, alertId: string, sent: SentRouteFields): NewRoute | null {
    refuse(bothFindings(sent));
    if (typeof sent.contact_id === 'string') return null;
    const resolved = this.channels.resolve(caller, ownerOf(alertId, null), sent, null);
    const { type, config, destination, generatedKeys } = resolved;
    return { route: { contactId: null, type, config, destination }, defaults: {}, generatedKeys };
  }

  /** Returns the errors that `ownOfNew` would find in these fields. */
  findingsInNew(caller: Caller, alertId: string, sent: SentRouteFields): Findings {
    const both = bothFindings(sent);
    if (both.invalid.length > 0 || typeof sent.contact_id === 'string') return both;
    return this.channels.findingsIn(caller, ownerOf(alertId, null), sent, null);
  }

  /** Returns a locked alert's destination. Cost: one statement if it has a contact other than `held`. */
  async routeOf(sql: Sql, { id, orgId, contactId, ...own }: Alert, held: HeldContact | null = null): Promise<Route> {
    if (contactId === null) return { contactId, ...ownConfigOf({ id, ...own }) };
    if (held?.contactId === contactId) return routeOfContact(held);
    return routeOfContact(await this.contacts.find(sql, orgId, contactId));
  }

  /**
   * Returns the destinations of these alerts, by ID. Alerts whose contact was deleted are missing. Cost: one statement
   * for all contacts.
   */
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

  /**
   * Returns how the sent fields change a locked alert's destination. `contact` is the contact in the fields, locked.
   * Throws if the fields are invalid or `others` has findings.
   */
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

  /** Returns the errors that `changeOf` would find in these fields. */
  findingsIn(caller: Caller, { alert, route }: RoutedAlert, sent: SentRouteFields): Findings {
    const change = this.judge(caller, { alert, route }, sent);
    if (change.kind !== 'own') return refusedFindings(change);
    return this.channels.findingsIn(caller, ownerOf(alert.id, null), sent, this.ownCopy({ alert, route }));
  }

  /**
   * Returns the destination for an alert that isn't stored, or `null` if the fields have a contact. Throws the same
   * errors as `ownOfNew`.
   */
  acceptNew(caller: Caller, sent: SentRouteFields): AcceptedConfig | null {
    refuse(bothFindings(sent));
    if (typeof sent.contact_id === 'string') return null;
    return this.channels.accept(caller, { type: sent.type ?? '', config: sent.config ?? {} });
  }

  /** Returns a contact's config for a test, masked as for read keys. Throws `conflict` if it can't be decrypted. */
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
  ): PresentedConfig {
    return this.channels.present(reader, ownerOf(alert.id, route.contactId), route, generatedKeys);
  }

  private judge(caller: Caller, routed: RoutedAlert, sent: SentRouteFields): RouteChange {
    const contactId = typeof sent.contact_id === 'string' ? parseId('contact', sent.contact_id) : sent.contact_id;
    const [hasType, hasConfig] = [sent.type !== undefined, sent.config !== undefined];
    const isAsShown = this.isAsShown(caller, routed, sent);
    return routeChangeOf({ contactId, hasType, hasConfig, isAsShown }, routed.route.contactId);
  }

  /**
   * Whether the fields equal what the alert shows. As usual, masks stand for the stored values. Credentials are never
   * compared, because clients could use that to guess a stored credential, with any number of attempts and without
   * leaving a trace.
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

  /** Returns the config, encrypted for the alert, or `null` if its contact's config can't be decrypted. */
  private ownCopy({ alert, route }: RoutedAlert): StoredConfig | null {
    const { contactId, type, config, destination } = route;
    if (contactId === null) return { type, config, destination };
    const opened = this.channels.opened(ownerOf('', contactId), config);
    return opened && { type, config: this.sealed.seal(ownerOf(alert.id, null), opened), destination };
  }
}

/** Returns the columns for an alert with this destination. With a contact, it has no config. */
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

/** An alert has either a contact, or a type and a config. */
const bothFindings = ({ contact_id, type, config }: SentRouteFields): Findings =>
  typeof contact_id === 'string' && (type !== undefined || config !== undefined)
    ? { invalid: [BOTH], forbidden: [] }
    : NO_FINDINGS;

const refusedFindings = (change: RouteChange): Findings =>
  change.kind === 'refused' ? { invalid: [change.problem], forbidden: [] } : NO_FINDINGS;
