import type { EndpointStatus } from '../../endpoint/endpoint.dto';
import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';
import { capitalized } from '../../platform/text/capitalized';

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

/** The states that differ from `up`, worst first, with their words in a summary. */
const WORST = [
  ['down', 'down'],
  ['maintenance', 'in maintenance'],
  ['degraded', 'degraded'],
  ['unknown', 'unknown'],
  ['paused', 'paused'],
] as const satisfies readonly (readonly [EndpointState, string])[];

/** Returns a summary of endpoints, and their worst state: `1 of 4 down, 1 in maintenance`, or `Operational`. */
export function groupSum(endpoints: Parameters<typeof endpointState>[0][]): { state: EndpointState; text: string } {
  const states = endpoints.map(endpointState);
  const all = states.length;
  const parts = WORST.flatMap(([state, word]) => {
    const count = states.filter((each) => each === state).length;
    return count === 0 ? [] : [{ state, word, count }];
  });
  const [first] = parts;
  if (!first) return { state: 'up', text: 'Operational' };
  const [lead, ...rest] = parts.map(({ word, count }) => `${count} ${word}`);
  if (first.count === all) return { state: first.state, text: all === 1 ? capitalized(first.word) : `All ${lead}` };
  // A heading is paused only if all its endpoints are.
  const state = first.state === 'paused' ? 'up' : first.state;
  return { state, text: [`${first.count} of ${all} ${first.word}`, ...rest].join(', ') };
}

/** Up to how many names a title lists before it counts them. */
const NAMED = 3;

/** Returns `Checkout and Search`, or `5 of 11 services` if there are many. */
function named(names: readonly string[], all: number): string {
  if (names.length > NAMED) return `${names.length} of ${all} services`;
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')}, and ${names.at(-1) ?? ''}`;
}

/** Returns the title for endpoints that are down, out of `all`. */
export function outageTitle(names: readonly string[], all: number): string {
  if (names.length === 0) return 'Partial outage';
  if (names.length === all) return all === 1 ? `Outage: ${names[0] ?? ''}` : 'Major outage: all services are down';
  return `Partial outage: ${named(names, all)}`;
}

/** Returns the headline of the page as plain text. */
export function headline(page: Judged): string {
  const state = pageState(page);
  const all = page.endpoints.length;
  const names = page.endpoints.filter((endpoint) => endpointState(endpoint) === state).map(({ name }) => name);
  switch (state) {
    case 'up':
      return 'All services are operational';
    case 'incident':
      return openIncident(page)?.title ?? '';
    case 'maintenance':
      return 'Maintenance in progress';
    case 'degraded':
      return names.length === all && all > 1 ? 'All services are degraded' : `Degraded: ${named(names, all)}`;
    case 'down':
      return outageTitle(names, all);
    case 'paused':
      return 'Monitoring is paused';
    case 'unknown':
      return 'No data yet';
    default:
      return state satisfies never;
  }
}
