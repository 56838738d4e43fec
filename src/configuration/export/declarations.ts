import { Injectable } from '@nestjs/common';
import type { Alert } from '../../alert/alert.entity';
import { RULE_FIELDS } from '../../alert/alert.dto';
import { toFields } from '../../platform/database/field-names';
import { currentOf } from '../../maintenance/window-row';
import type { Website } from '../../website/website.entity';
import type {
  DeclaredAlert,
  DeclaredContact,
  DeclaredEndpoint,
  DeclaredProbe,
  DeclaredStatusPage,
  DeclaredWebsite,
  DeclaredWindow,
} from '../document/document';
import { grouped } from '../../platform/text/grouped';
import { type ExportStyle, toDeclaredEndpoint } from './declared-endpoint';
import { hasMore, toDeclaredPage, toDeclaredWebsite, toDeclaredWindow } from './declared-website';
import { type KeyPaths, keyPathsOf, keysOf, type Keyed } from './key-paths';
import { ExportNotes } from './notes';
import type { EndpointRows, ExportedRows } from './rows';
import { SecretNames } from './secret-names';
import { CONTACT_FIELDS } from '../../contact/contact.dto';
import type { Contact } from '../../contact/contact.entity';
import { ALERT_DEFAULTS, CONTACT_DEFAULTS, PROBE_DEFAULTS } from '../plan/sent-fields';
import type { Chosen } from './without-defaults';
import { probeSettings } from '../../probe/probe.dto';
import { ChannelSettings } from '../../delivery/config/channel-settings';

/**
 * Reads contact and alert configs, with references in place of secrets. Returns `null` if a config can't be read here.
 */
@Injectable()
export class ExportedConfigs {
  constructor(private readonly channels: ChannelSettings) {}

  ofContact({ id, type, config }: Contact, key: string, secrets: SecretNames): object | null {
    return this.channels.replaced(`contact:${id}`, { type, config }, (path) =>
      secrets.reference('contact', key, ...path),
    );
  }

  /** Returns the config of an alert without a contact. `path` is its whole key path. */
  ofAlert({ id, type, config }: Alert, path: readonly string[], secrets: SecretNames): object | null {
    if (!config) return null;
    return this.channels.replaced(`alert:${id}`, { type, config }, (place) =>
      secrets.reference('alert', ...path, ...place),
    );
  }
}

/** `config` must have references in place of its secrets. */
function toDeclaredContact(contact: Contact, key: string, config: object, chosen: Chosen): DeclaredContact {
  const { name, key: _key, ...settings } = toFields(contact, CONTACT_FIELDS);
  return { key, name, type: contact.type, config: { ...config }, ...chosen(settings, CONTACT_DEFAULTS) };
}

/** The contact that an alert uses (its key and its defaults), or the alert's own config. */
type AlertRoute = { contact: string; defaults: Contact['defaults'] } | { config: object };

/** Leaves out settings that a new alert with the same contact would have anyway. */
function toDeclaredAlert(alert: Alert, key: string, route: AlertRoute, chosen: Chosen): DeclaredAlert {
  const isOwn = 'config' in route;
  const { key: _key, ...settings } = toFields(alert, RULE_FIELDS);
  return {
    key,
    ...(isOwn ? { type: alert.type, config: { ...route.config } } : { contact: route.contact }),
    ...chosen(settings, isOwn ? ALERT_DEFAULTS : { ...ALERT_DEFAULTS, ...route.defaults }),
  };
}

/** Returns the siblings without a key that look the same as another one, so a plan can't decide which one is meant. */
const ambiguousOf = <Item extends Keyed>(siblings: readonly Item[], likenessOf: (item: Item) => string): Item[] =>
  [
    ...grouped(
      siblings.filter(({ externalKey }) => externalKey === null),
      likenessOf,
    ).values(),
  ]
    .filter((alike) => alike.length > 1)
    .flat();

const ALIKE =
  'They have no key and are similar to each other; give them keys first, or applying this document here creates duplicates';
const UNREADABLE = 'The config cannot be read on this installation and has to be completed';
const WITHOUT_KEY =
  'Referenced, but not declared here and without a key; give them keys, or the document cannot be applied';
const ELSEWHERE = 'Left out, because their website has another owner or no owner';
const ENDED = 'Left out, because they have ended';
const EMPTY = 'Left out, because nothing that they cover exists anymore';
const RUNNING = 'Already started; they can be kept here, but not created again elsewhere';
const LOGO = 'The logo is not exported';
const PAGE_OF_WEBSITE = 'The status page has more settings than a document can declare for the page of a website';

/** A website, with the UUIDs of the endpoints that are declared with it. */
export interface WebsiteToDeclare {
  website: DeclaredWebsite;
  endpoints: readonly string[];
}

/** Converts one organization's rows to one document's resources, and collects notes about them. */
export class Declarations {
  readonly notes = new ExportNotes();
  readonly secrets = new SecretNames();
  private readonly paths: KeyPaths;
  private readonly contactsById;
  private readonly pagesOfWebsites;
  /** Resources that are declared or have a key. */
  private readonly found: ReadonlySet<string>;

  constructor(
    private readonly owner: string | undefined,
    private readonly at: Date,
    private readonly rows: ExportedRows,
    private readonly configs: ExportedConfigs,
    private readonly style: ExportStyle,
  ) {
    this.paths = keyPathsOf(rows);
    this.contactsById = new Map(rows.contacts.map((contact) => [contact.id, contact]));
    this.pagesOfWebsites = new Map(rows.pages.map((page) => [page.website_id, page]));
    const things = [...rows.contacts, ...rows.websites, ...rows.endpoints];
    this.found = new Set(things.filter((row) => row.externalKey !== null || this.isOwn(row)).map(({ id }) => id));
  }

  contacts(): DeclaredContact[] {
    this.noteAlike(this.rows.contacts, this.paths.contacts, ({ name, type }) => JSON.stringify([name, type]));
    return this.rows.contacts.filter(this.isOwn).map((contact) => {
      const key = pathIn(this.paths.contacts, contact);
      const config = this.configs.ofContact(contact, key, this.secrets);
      if (!config) this.notes.add(UNREADABLE, key);
      return toDeclaredContact(contact, key, config ?? {}, this.style.chosen);
    });
  }

  /** Returns the probes without their tokens. A new probe's name defaults to its key. */
  probes(): DeclaredProbe[] {
    return this.rows.probes.filter(this.isOwn).map((row) => {
      const { key, ...settings } = probeSettings(row);
      return { key, ...this.style.chosen(settings, { ...PROBE_DEFAULTS, name: key }) };
    });
  }

  *websites(): Iterable<WebsiteToDeclare> {
    this.noteAlike(this.rows.websites, this.paths.websites, ({ name, url }) => JSON.stringify([name, url]));
    const inWebsites = grouped(this.rows.endpoints, ({ websiteId }) => websiteId);
    for (const website of this.rows.websites) {
      const siblings = inWebsites.get(website.id) ?? [];
      const own = siblings.filter(this.isOwn);
      if (this.isOwn(website)) {
        this.noteAlike(siblings, this.paths.endpoints, ({ name, likeness }) => JSON.stringify([name, likeness]));
        yield { website: this.website(website), endpoints: own.map(({ id }) => id) };
      } else for (const endpoint of own) this.notes.add(ELSEWHERE, pathIn(this.paths.endpoints, endpoint));
    }
  }

  /** Returns an endpoint. Each of its `alerts` counts as another resource. */
  endpoint({ endpoint, alerts }: EndpointRows): DeclaredEndpoint & { alerts: DeclaredAlert[] } {
    const path = pathIn(this.paths.endpoints, endpoint);
    // Contacts that were created after the export started aren't included.
    const known = alerts.filter(({ contactId }) => contactId === null || this.contactsById.has(contactId));
    const nameOf = ({ contactId, type }: Alert): string => this.paths.contacts.get(contactId ?? '') ?? type;
    const keys = keysOf(known, nameOf);
    const alertPaths = new Map([...keys].map(([id, key]) => [id, `${path}/${key}`]));
    this.noteAlike(known, alertPaths, ({ contactId, type }) => contactId ?? type);
    const declared = known.filter(this.isOwn).map((alert) => this.alert(alert, pathIn(alertPaths, alert)));
    for (const id of endpoint.dependsOn) this.noteReference(this.paths.endpoints, id);
    return { ...toDeclaredEndpoint(endpoint, this.paths, this.secrets, this.style), alerts: declared };
  }

  windows(): DeclaredWindow[] {
    const { windows } = this.rows;
    const keys = keysOf(windows, ({ name }) => name);
    this.noteAlike(windows, keys, ({ name }) => name);
    return windows.filter(this.isOwn).flatMap((row) => {
      const key = pathIn(keys, row);
      if (currentOf(row, this.at).status === 'ended') {
        this.notes.add(ENDED, key);
        return [];
      }
      const declared = toDeclaredWindow(row, key, this.paths, this.style.chosen);
      if (!declared) this.notes.add(EMPTY, key);
      if (row.cron === null && row.activeUntil) this.notes.add(RUNNING, key);
      for (const id of row.websiteIds) this.noteReference(this.paths.websites, id);
      for (const id of row.endpointIds) this.noteReference(this.paths.endpoints, id);
      return declared ?? [];
    });
  }

  /** Returns the status pages, except those that belong to websites. */
  pages(): DeclaredStatusPage[] {
    const pages = this.rows.pages.filter((page) => page.website_id === null);
    const keys = keysOf(pages, ({ title }) => title ?? '');
    this.noteAlike(pages, keys, ({ title }) => title ?? '');
    return pages.filter(this.isOwn).map((row) => {
      const key = pathIn(keys, row);
      if (row.logo_hash !== null) this.notes.add(LOGO, key);
      for (const { endpoints, websites } of row.groups ?? []) {
        for (const id of websites) this.noteReference(this.paths.websites, id);
        for (const id of endpoints) this.noteReference(this.paths.endpoints, id);
      }
      return toDeclaredPage(row, key, this.paths, this.style.chosen);
    });
  }

  private website(row: Website): DeclaredWebsite {
    const key = pathIn(this.paths.websites, row);
    const page = this.pagesOfWebsites.get(row.id) ?? null;
    if (page && hasMore(page)) this.notes.add(PAGE_OF_WEBSITE, key);
    return toDeclaredWebsite(row, key, page, this.style.chosen);
  }

  private alert(alert: Alert, path: string): DeclaredAlert {
    const steps = path.split('/');
    const key = steps.at(-1) ?? '';
    const contact = this.contactsById.get(alert.contactId ?? '');
    if (contact) {
      this.noteReference(this.paths.contacts, contact.id);
      const route = { contact: pathIn(this.paths.contacts, contact), defaults: contact.defaults };
      return toDeclaredAlert(alert, key, route, this.style.chosen);
    }
    const config = this.configs.ofAlert(alert, steps, this.secrets);
    if (!config) this.notes.add(UNREADABLE, path);
    return toDeclaredAlert(alert, key, { config: config ?? {} }, this.style.chosen);
  }

  private readonly isOwn = ({ owner }: { owner: string | null }): boolean =>
    this.owner === undefined || owner === this.owner;

  private noteReference(paths: ReadonlyMap<string, string>, id: string): void {
    const path = paths.get(id);
    if (path !== undefined && !this.found.has(id)) this.notes.add(WITHOUT_KEY, path);
  }

  private noteAlike<Row extends { id: string; externalKey: string | null; owner: string | null }>(
    siblings: readonly Row[],
    paths: ReadonlyMap<string, string>,
    likenessOf: (row: Row) => string,
  ): void {
    for (const row of ambiguousOf(siblings, likenessOf).filter(this.isOwn)) this.notes.add(ALIKE, pathIn(paths, row));
  }
}

/** Returns the path of a resource that must have one, like every resource that was read. */
function pathIn(paths: ReadonlyMap<string, string>, { id }: { id: string }): string {
  const path = paths.get(id);
  if (path === undefined) throw new Error(`nothing is known of ${id}`);
  return path;
}
