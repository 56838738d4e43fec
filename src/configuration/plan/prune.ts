import { plural } from '../../platform/text/plural';
import { pathOf, type Stored } from './matching';
import { grouped } from '../../platform/text/grouped';
import type { Matches } from './matches';
import type { Deletion, PlanNote } from './plan';
import type { PresentState } from './state/present-state';

/**
 * How many related resources weren't declared by the owner, for each resource that may be deleted, by UUID. Absent if
 * there are none.
 */
export interface ForeignRows {
  /** The number of endpoints in websites, and of alerts on these endpoints. */
  inWebsites: ReadonlyMap<string, number>;
  /** The number of alerts on endpoints. */
  onEndpoints: ReadonlyMap<string, number>;
  /** Alerts that use contacts, by the UUIDs of both. */
  alertsOfContacts: readonly { contactId: string; alertId: string; endpointId: string }[];
  /** Endpoints that depend on the owner's endpoints. */
  dependents: readonly { parentId: string; id: string; owner: string | null; path: string }[];
  /** Endpoints that use the owner's probes. */
  namingProbes: readonly { probeId: string; endpointId: string }[];
}

/** The planned state of declared resources, by UUID. */
export interface Declarations {
  /** Each alert's planned contact. */
  contactOfAlert: ReadonlyMap<string, string | null>;
  /** Each endpoint's planned parents. */
  parentsOf: ReadonlyMap<string, readonly string[]>;
  /** Each endpoint's planned probes, if they change. */
  locationsOf: ReadonlyMap<string, readonly string[]>;
}

export const NOTHING: ForeignRows = {
  inWebsites: new Map(),
  onEndpoints: new Map(),
  alertsOfContacts: [],
  dependents: [],
  namingProbes: [],
};

/**
 * Returns the deletions: resources that the owner declared before but not anymore, with children before parents. The
 * notes explain why others are kept. A resource isn't deleted if it contains something that the owner didn't declare. A
 * contact isn't deleted if an alert will still use it.
 */
export function pruned(
  owner: string,
  state: PresentState,
  matches: Matches,
  others: ForeignRows,
  { contactOfAlert, parentsOf, locationsOf }: Declarations,
): { deletions: Deletion[]; notes: PlanNote[] } {
  const declared = new Set(
    Object.values(matches).flatMap((list: readonly { id: string }[]) => list.map(({ id }) => id)),
  );
  // A resource that has lost its key or never had one, such as an alert through a default contact, is only deleted with
  // its parent.
  const isGone = (row: Stored): boolean => row.owner === owner && row.externalKey !== null && !declared.has(row.id);
  const websites = new Map(state.websites.map((website) => [website.id, website]));
  const endpoints = new Map(state.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const websitePath = (id: string): string => websites.get(id)?.externalKey ?? websites.get(id)?.name ?? id;
  const endpointPath = (id: string): string => {
    const endpoint = endpoints.get(id);
    return endpoint ? pathOf(websitePath(endpoint.websiteId), endpoint.externalKey ?? endpoint.name) : id;
  };
  const notes: PlanNote[] = [];

  const leavingEndpoints = state.endpoints.filter(isGone);
  const held = leavingEndpoints.filter(({ id }) => others.onEndpoints.has(id));
  const goneEndpoints = new Set(leavingEndpoints.filter(({ id }) => !others.onEndpoints.has(id)).map(({ id }) => id));
  for (const { id } of held)
    notes.push(stays('endpoint', endpointPath(id), others.onEndpoints.get(id) ?? 0, 'alert', owner));

  const goneWebsites = new Set<string>();
  const kept = grouped(
    state.endpoints.filter((endpoint) => endpoint.owner === owner && !goneEndpoints.has(endpoint.id)),
    byWebsite,
  );
  for (const { id } of state.websites.filter(isGone)) {
    const more = (others.inWebsites.get(id) ?? 0) + (kept.get(id)?.length ?? 0);
    if (more === 0) goneWebsites.add(id);
    else notes.push(stays('website', websitePath(id), more, 'thing', owner));
  }

  const goneAlerts = state.alerts.filter(isGone);
  const goneAlertIds = new Set(goneAlerts.map(({ id }) => id));
  const goneContacts = state.contacts.filter(isGone).filter((contact) => {
    const users = others.alertsOfContacts.filter(
      ({ contactId, alertId, endpointId }) =>
        contactId === contact.id &&
        !goneAlertIds.has(alertId) &&
        !goneEndpoints.has(endpointId) &&
        (contactOfAlert.get(alertId) ?? contact.id) === contact.id,
    ).length;
    if (users > 0)
      notes.push(stays('contact', contact.externalKey ?? contact.name, users, 'alert', owner, 'is used by'));
    return users === 0;
  });

  const goneProbes = state.probes.filter(isGone).filter(({ id: probeId, key }) => {
    const named = others.namingProbes.filter((one) => one.probeId === probeId).map(({ endpointId }) => endpointId);
    const left = named.filter((id) => !goneEndpoints.has(id) && !locationsOf.has(id)).length;
    const users = left + [...locationsOf.values()].filter((locations) => locations.includes(key)).length;
    if (users > 0) notes.push(stays('probe', key, users, 'endpoint', owner, 'is used by'));
    return users === 0;
  });

  const deletions: Deletion[] = [
    ...goneAlerts.map((alert): Deletion => {
      const path = pathOf(endpointPath(alert.endpointId), alert.externalKey ?? alert.type);
      return { resource: 'alert', path, id: alert.id, isImplied: goneEndpoints.has(alert.endpointId) };
    }),
    ...[...goneEndpoints].map((id): Deletion => ({
      resource: 'endpoint',
      path: endpointPath(id),
      id,
      isImplied: false,
    })),
    ...[...goneWebsites].map((id): Deletion => ({ resource: 'website', path: websitePath(id), id, isImplied: false })),
    ...state.pages
      .filter((page) => page.website_id === null)
      .filter(isGone)
      .map(({ id, externalKey, slug }): Deletion => ({
        resource: 'status_page',
        path: externalKey ?? slug,
        id,
        isImplied: false,
      })),
    ...state.windows.filter(isGone).map(({ id, externalKey, name }): Deletion => ({
      resource: 'maintenance_window',
      path: externalKey ?? name,
      id,
      isImplied: false,
    })),
    ...goneProbes.map(({ id, key }): Deletion => ({ resource: 'probe', path: key, id, isImplied: false })),
    ...goneContacts.map(({ id, externalKey, name }): Deletion => ({
      resource: 'contact',
      path: externalKey ?? name,
      id,
      isImplied: false,
    })),
  ];
  for (const [websiteId, lost] of grouped(
    state.endpoints.filter(({ id }) => goneEndpoints.has(id)),
    byWebsite,
  )) {
    const since = lost.map(({ createdAt }) => createdAt.toISOString().slice(0, 10)).sort()[0] ?? '';
    const message = `The history of ${plural(lost.length, 'endpoint')} will be deleted: checks, outages and events since ${since}.`;
    notes.push({ key: websitePath(websiteId), message });
  }
  const losing = others.dependents.filter(
    ({ id, parentId }) =>
      goneEndpoints.has(parentId) && !goneEndpoints.has(id) && (parentsOf.get(id)?.includes(parentId) ?? true),
  );
  for (const [parentId, dependents] of grouped(losing, (one) => one.parentId))
    notes.push({ key: endpointPath(parentId), message: dependencyGoes(dependents) });
  return { deletions, notes };
}

const stays = (noun: string, path: string, number: number, what: string, owner: string, verb = 'holds'): PlanNote => ({
  key: path,
  message: `The ${noun} is kept: it ${verb} ${plural(number, what)} that ${owner} does not declare or that are also kept.`,
});

/** How many resources a note names. */
const NAMED = 3;

/** A dependency is deleted with its parent, regardless of who declared it. */
function dependencyGoes(dependents: ForeignRows['dependents']): string {
  const named = dependents
    .slice(0, NAMED)
    .map(({ path, owner }) => (owner === null ? path : `${path} (declared by ${owner})`))
    .join(', ');
  const more = dependents.length > NAMED ? ` and ${dependents.length - NAMED} more` : '';
  return `${plural(dependents.length, 'endpoint')} will no longer depend on it: ${named}${more}. Documents that still declare the dependency will be rejected.`;
}

const byWebsite = ({ websiteId }: PresentState['endpoints'][number]): string => websiteId;
