import type { EndpointStatus } from '../../endpoint/endpoint.dto';
import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';

/** What a page says of an endpoint: the status, or what explains it. */
export type EndpointState = EndpointStatus | 'degraded' | 'maintenance';
/** What a page says of itself; `incident`: nothing is down, and people say that something is the matter. */
export type PageState = EndpointState | 'incident';

/** `down` only while no announced work explains it. Nobody looks at one that is paused. */
export function endpointState({
  status,
  degraded,
  maintenance,
}: Pick<StatusEndpoint, 'status' | 'degraded' | 'maintenance'>): EndpointState {
  if (status === 'paused') return 'paused';
  if (maintenance !== null) return 'maintenance';
  return degraded ? 'degraded' : status;
}

/** What of a page decides what it says of itself. */
export type Judged = Pick<StatusSnapshot, 'status' | 'endpoints' | 'incidents' | 'maintenance'>;

/** The one that began last of those that are open. */
const openIncident = ({ incidents }: Judged) => incidents.find(({ ended_at }) => ended_at === null);

/**
 * The worst of what is shown. What the checks find down without announced work comes first, then what people say of an open
 * incident, then work that is under way. An incident that is over changes nothing.
 */
export function pageState(page: Judged): PageState {
  const { status, endpoints, maintenance } = page;
  const states = endpoints.map(endpointState);
  // A page shows not all endpoints of a large website: the one that is down may be another.
  const hidden = status === 'down' && !endpoints.some((endpoint) => endpoint.status === 'down');
  if (hidden || states.includes('down')) return 'down';
  if (openIncident(page)) return 'incident';
  if (maintenance.some(({ state }) => state === 'active')) return 'maintenance';
  return states.includes('degraded') ? 'degraded' : status;
}

/** The worst first; of a heading that nobody looks at any more there is nothing worse to say. */
const WORST: readonly EndpointState[] = ['down', 'maintenance', 'degraded', 'unknown', 'up', 'paused'];
/** What does not say whether it works, in words. */
const ASIDE = [
  ['maintenance', 'in maintenance'],
  ['unknown', 'unknown'],
  ['paused', 'paused'],
] as const;

/** The sum of what stands below one heading, and the worst of it: `3 of 4 work, 1 in maintenance`. `null` for one endpoint alone. */
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
      ? `All ${all} work`
      : works === 0
        ? `0 of ${all} work`
        : `${works} of ${all} ${works === 1 ? 'works' : 'work'}`;
  const aside = ASIDE.flatMap(([state, word]) => (count(state) > 0 ? [`${count(state)} ${word}`] : []));
  const text = [...(isAside ? [] : [sum]), ...aside].join(', ');
  return { state: WORST.find((state) => states.includes(state)) ?? 'unknown', text };
}

/** The headline of the page, as plain text. */
export function headline(page: Judged): string {
  const state = pageState(page);
  const all = page.endpoints.length;
  const count = page.endpoints.filter((endpoint) => endpointState(endpoint) === state).length;
  switch (state) {
    case 'up':
      return 'Everything works';
    case 'incident':
      return openIncident(page)?.title ?? '';
    case 'maintenance':
      return 'Maintenance in progress';
    case 'degraded':
      return count === all ? 'Everything is degraded' : `${count} of ${all} ${count === 1 ? 'is' : 'are'} degraded`;
    case 'down':
      if (count === 0) return 'Not everything works';
      return count === all ? 'Nothing works' : `${count} of ${all} ${count === 1 ? 'does' : 'do'} not work`;
    case 'paused':
      return 'Monitoring is paused';
    case 'unknown':
      return 'No data yet';
    default:
      return state satisfies never;
  }
}
