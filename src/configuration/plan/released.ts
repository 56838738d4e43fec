import { plural } from '../../platform/text/plural';
import type { Stored } from './matching';
import { pathOf } from './matching';
import type { Matches } from './matches';
import type { PlanNote, Released } from './plan';
import type { PresentState } from './state/present-state';

/**
 * Returns the resources that the owner declared before but not anymore, for an apply without prune. They aren't changed
 * but lose their owner, so that another document can adopt them. Resources without a key, such as alerts through
 * default contacts, are only released with their endpoint.
 */
export function released(owner: string, state: PresentState, matches: Matches): Released[] {
  const declared = new Set(
    Object.values(matches).flatMap((list: readonly { id: string }[]) => list.map(({ id }) => id)),
  );
  const isLeft = (row: Stored): boolean => row.owner === owner && !declared.has(row.id);
  const isKeyed = (row: Stored): boolean => isLeft(row) && row.externalKey !== null;
  const named = ({ externalKey }: Stored, name: string): string => externalKey ?? name;
  const websites = new Map(state.websites.map((website) => [website.id, named(website, website.name)]));
  const endpointPath = (one: PresentState['endpoints'][number]): string =>
    pathOf(websites.get(one.websiteId) ?? one.websiteId, named(one, one.name));
  const paths = new Map(state.endpoints.map((endpoint) => [endpoint.id, endpointPath(endpoint)]));
  const endpoints = state.endpoints.filter(isKeyed);
  const left = new Set(endpoints.map(({ id }) => id));
  const alerts = state.alerts.filter((alert) => isKeyed(alert) || (isLeft(alert) && left.has(alert.endpointId)));
  const of =
    <Row extends Stored>(resource: Released['resource'], pathOfRow: (row: Row) => string) =>
    (row: Row): Released => ({ resource, path: pathOfRow(row), id: row.id });
  return [
    ...state.contacts.filter(isKeyed).map(of('contact', (one) => named(one, one.name))),
    ...state.probes.filter(isKeyed).map(of('probe', ({ key }) => key)),
    ...state.websites.filter(isKeyed).map(of('website', (one) => named(one, one.name))),
    ...endpoints.map(of('endpoint', endpointPath)),
    ...alerts.map(of('alert', (one) => pathOf(paths.get(one.endpointId) ?? one.endpointId, named(one, one.type)))),
    ...state.pages.filter(isKeyed).map(of('status_page', (one) => named(one, one.slug))),
    ...state.windows.filter(isKeyed).map(of('maintenance_window', (one) => named(one, one.name))),
  ];
}

/** Returns the note on how an apply without prune treats these resources. */
export const releaseNote = (owner: string, number: number): PlanNote => ({
  key: null,
  message: `${plural(number, 'resource')} that ${owner} declared ${number === 1 ? 'is' : 'are'} no longer in the document: ${number === 1 ? 'it is' : 'they are'} kept without an owner, so another document can adopt ${number === 1 ? 'it' : 'them'}. A prune deletes only resources that the owner declares. To delete ${number === 1 ? 'it' : 'them'}, prune now.`,
});
