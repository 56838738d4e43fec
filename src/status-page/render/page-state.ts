import type { EndpointStatus } from '../../endpoint/endpoint.dto';
import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';

/** The state of an endpoint on a page: its status, or a state that explains the status. */
export type EndpointState = EndpointStatus | 'degraded' | 'maintenance';
/** The state of a page. `incident` means that nothing is down, but a public incident is open. */
export type PageState = EndpointState | 'incident';

/** Returns `down` only if no announced maintenance explains it. A paused endpoint is always `paused`. */
export function endpointState({
  status,
  degraded,
  maintenance,
}: Pick<StatusEndpoint, 'status' | 'degraded' | 'maintenance'>): EndpointState {
  if (status === 'paused') return 'paused';
  if (maintenance !== null) return 'maintenance';
  return degraded ? 'degraded' : status;
}

/** The part of a page that determines its state. */
export type Judged = Pick<StatusSnapshot, 'status' | 'endpoints' | 'incidents' | 'maintenance'>;

/** The newest of the open incidents. */
const openIncident = ({ incidents }: Judged) => incidents.find(({ ended_at }) => ended_at === null);

/**
 * Returns the worst state of everything shown. Endpoints that are down without announced maintenance take precedence,
 * then an open incident, then maintenance in progress. An incident that is over has no effect.
 */
export function pageState(page: Judged): PageState {
  const { status, endpoints, maintenance } = page;
  const states = endpoints.map(endpointState);
  // A page doesn't show all endpoints of a large website, so an endpoint that isn't shown may be down.
  const hidden = status === 'down' && !endpoints.some((endpoint) => endpoint.status === 'down');
  if (hidden || states.includes('down')) return 'down';
  if (openIncident(page)) return 'incident';
  if (maintenance.some(({ state }) => state === 'active')) return 'maintenance';
  return states.includes('degraded') ? 'degraded' : status;
}

/** The states, worst first. A heading is `paused` only if all its endpoints are. */
const WORST: readonly EndpointState[] = ['down', 'maintenance', 'degraded', 'unknown', 'up', 'paused'];
/** States that don't reveal whether the endpoint works, with their text. */
const ASIDE = [
  ['maintenance', 'in maintenance'],
  ['unknown', 'unknown'],
  ['paused', 'paused'],
] as const;

/**
 * Returns a summary of the endpoints below a heading, and their worst state: `3 of 4 up, 1 in maintenance`. `null`
 * for a single endpoint.
 */
export function groupSum(
  endpoints: Parameters<typeof endpointState>[0][],
): { state: EndpointState; text: string } | null {
  const states = endpoints.map(endpointState);
  const count = (state: PageState) => states.filter((each) => each === state).length;
  const all = states.length;
  if (all < 2) return null;
  const works = count('up') + count('degraded');
  const isAside = works + count('down') === 0;
  const sum =
    works === all
      ? `All ${all} up`
      : works === 0
        ? `0 of ${all} up`
        : `${works} of ${all} up`;
  const aside = ASIDE.flatMap(([state, word]) => (count(state) > 0 ? [`${count(state)} ${word}`] : []));
  const text = [...(isAside ? [] : [sum]), ...aside].join(', ');
  return { state: WORST.find((state) => states.includes(state)) ?? 'unknown', text };
}

/** Returns the headline of the page as plain text. */
export function headline(page: Judged): string {
  const state = pageState(page);
  const all = page.endpoints.length;
  const count = page.endpoints.filter((endpoint) => endpointState(endpoint) === state).length;
  switch (state) {
    case 'up':
      return 'All systems operational';
    case 'incident':
      return openIncident(page)?.title ?? '';
    case 'maintenance':
      return 'Maintenance in progress';
    case 'degraded':
      return count === all ? 'All systems are degraded' : `${count} of ${all} ${count === 1 ? 'is' : 'are'} degraded`;
    case 'down':
      if (count === 0) return 'Some systems are down';
      return count === all ? 'All systems are down' : `${count} of ${all} ${count === 1 ? 'is' : 'are'} down`;
    case 'paused':
      return 'Monitoring is paused';
    case 'unknown':
      return 'No data yet';
    default:
      return state satisfies never;
  }
}
