import type { OverviewItem, Status, Website } from '../api/types';
import { reasonText } from './reason-text';

/** The status on a pill. An endpoint that is up with a failing warning is degraded. */
export type Shown = Status | 'degraded';

export const shownStatus = (of: { status: Status; degraded: boolean }): Shown =>
  of.status === 'up' && of.degraded ? 'degraded' : of.status;

export interface Filters {
  text: string;
  status: Shown | null;
  website: string | null;
  tag: string | null;
  /** If true, only endpoints in maintenance. */
  planned: boolean;
  /** If set, only endpoints checked from this location. `at` has their IDs, or is `null` until they are known. */
  location: string | null;
  at: ReadonlySet<string> | null;
  order: 'worst' | 'name' | 'slowest';
}

const isOrder = (text: string | null): text is Filters['order'] => text !== null && text in ORDERS;

/** Returns the filters in a URL query. `at` has the endpoints that are checked from the location in the query. */
export function filtersOf(query: URLSearchParams, at: Filters['at'] = null): Filters {
  const order = query.get('order');
  return {
    text: query.get('q') ?? '',
    status: STATUSES.find((status) => status === query.get('status')) ?? null,
    website: query.get('website'),
    tag: query.get('tag'),
    planned: query.has('planned'),
    location: query.get('location'),
    at: query.has('location') ? at : null,
    order: isOrder(order) ? order : 'worst',
  };
}

export type GroupWebsite = Pick<Website, 'id' | 'name' | 'url' | 'status' | 'enabled' | 'endpoint_count' | 'tags'>;

/** The endpoints under one heading, from one website or from all websites. */
export interface Group {
  id: string;
  name: string;
  /** The worst status on the website. */
  status: Shown;
  items: OverviewItem[];
  /** How many of the website's endpoints are listed above, among all that are down or degraded. */
  above: number;
  /** Whether the endpoints belong to several websites. If so, each shows its website. */
  isMixed: boolean;
}

const RANK: Record<Shown, number> = { down: 0, degraded: 1, unknown: 2, up: 3, paused: 4 };
/** Worst first. */
export const STATUSES: readonly Shown[] = ['down', 'degraded', 'unknown', 'up', 'paused'];

export function countsOf(items: readonly OverviewItem[]): Record<Shown, number> {
  const counts: Record<Shown, number> = { up: 0, degraded: 0, down: 0, unknown: 0, paused: 0 };
  for (const item of items) counts[shownStatus(item)]++;
  return counts;
}

/** Returns the tags on endpoints and websites with the number of endpoints, most used first. */
export function tagsOf(items: readonly OverviewItem[], websites: readonly GroupWebsite[]): [tag: string, n: number][] {
  const counts = new Map<string, number>();
  const ofWebsites = websiteTags(websites);
  for (const item of items) {
    for (const tag of new Set([...item.tags, ...(ofWebsites.get(item.website.id) ?? [])]))
      counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || compare(a, b));
}

const websiteTags = (websites: readonly GroupWebsite[]) => new Map(websites.map(({ id, tags }) => [id, tags]));

const { compare } = new Intl.Collator('en', { numeric: true });
const byName = (a: { name: string }, b: { name: string }): number => compare(a.name, b.name);

const ORDERS: Record<Filters['order'], (a: OverviewItem, b: OverviewItem) => number> = {
  worst: (a, b) =>
    RANK[shownStatus(a)] - RANK[shownStatus(b)] || (a.uptime_24h ?? 2) - (b.uptime_24h ?? 2) || byName(a, b),
  name: byName,
  slowest: (a, b) => (b.p95_ms ?? -1) - (a.p95_ms ?? -1) || byName(a, b),
};

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** Returns the last error, both as a code and as shown. */
const errorOf = ({ last_error }: OverviewItem): string =>
  last_error === null ? '' : `${last_error} ${reasonText(last_error)}`;

/** Returns a website's endpoints, worst first. */
export const ofWebsite = (items: readonly OverviewItem[], id: string): OverviewItem[] =>
  items.filter(({ website }) => website.id === id).sort(ORDERS.worst);

/**
 * Returns the endpoints that match the text, website, tag, maintenance, and location, in any status. The counters are
 * based on these.
 */
export function selected(
  items: readonly OverviewItem[],
  { text, website, tag, planned, at }: Filters,
  websites: readonly GroupWebsite[] = [],
): OverviewItem[] {
  const words = wordsOf(text);
  const ofWebsites = websiteTags(websites);
  return items.filter((item) => {
    if (website !== null && item.website.id !== website) return false;
    if (planned && !item.maintenance) return false;
    if (at !== null && !at.has(item.id)) return false;
    const tags = [...item.tags, ...(ofWebsites.get(item.website.id) ?? [])];
    if (tag !== null && !tags.includes(tag)) return false;
    if (words.length === 0) return true;
    const searched =
      `${item.name} ${item.url} ${item.type} ${item.website.name} ${errorOf(item)} ${tags.join(' ')}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** Returns the websites whose heading is shown even without endpoints, because they match the filters. */
function shownWebsites(websites: readonly GroupWebsite[], filters: Filters): GroupWebsite[] {
  const { text, website, status, tag, planned, at } = filters;
  const words = wordsOf(text);
  return websites.filter(
    ({ id, name, url, tags }) =>
      status === null &&
      !planned &&
      at === null &&
      (tag === null || tags.includes(tag)) &&
      (website === null || id === website) &&
      words.every((word) => `${name} ${url}`.toLowerCase().includes(word)),
  );
}

const mixed = (id: string, name: string, status: Shown, items: OverviewItem[]): Group[] =>
  items.length === 0 ? [] : [{ id, name, status, items, above: 0, isMixed: true }];

/**
 * Filters endpoints, then groups them. "Worst" lists endpoints that are down or degraded first, followed by the rest by
 * website. "Slowest" shows a single list. "Name" groups them by website. A website without endpoints comes last, or at
 * its alphabetical position when sorting by name.
 */
export function grouped(
  items: readonly OverviewItem[],
  filters: Filters,
  websites: readonly GroupWebsite[] = [],
): Group[] {
  const { order, status } = filters;
  const found = selected(items, filters, websites).filter((item) => status === null || shownStatus(item) === status);
  found.sort(ORDERS[order]);
  if (order === 'slowest') return mixed('all', 'All endpoints', 'unknown', found);

  const isAbove = (item: OverviewItem) => order === 'worst' && RANK[shownStatus(item)] <= RANK.degraded;
  const groups = new Map<string, Group & { isEmpty: boolean }>();
  const groupOf = (id: string, name: string, worst: Shown, isEmpty: boolean) => {
    const group = groups.get(id) ?? { id, name, status: worst, items: [], above: 0, isMixed: false, isEmpty };
    groups.set(id, group);
    return group;
  };
  for (const item of found) {
    const group = groupOf(item.website.id, item.website.name, 'paused', false);
    if (isAbove(item)) group.above++;
    else group.items.push(item);
    if (RANK[shownStatus(item)] < RANK[group.status]) group.status = shownStatus(item);
  }
  for (const { id, name, status: own } of shownWebsites(websites, filters)) groupOf(id, name, own, true);
  const inOrder = [...groups.values()].sort((a, b) =>
    order === 'name'
      ? byName(a, b)
      : Number(a.isEmpty) - Number(b.isEmpty) || RANK[a.status] - RANK[b.status] || byName(a, b),
  );
  const kept = status === null && !filters.planned ? inOrder : inOrder.filter((group) => group.items.length > 0);
  const above = found.filter(isAbove);
  const [worst, ...others] = (['down', 'degraded'] as const).filter((each) =>
    above.some((item) => shownStatus(item) === each),
  );
  const title = others.length > 0 ? 'Down and degraded' : worst === 'degraded' ? 'Degraded' : 'Down';
  return [...mixed('down', title, worst ?? 'down', above), ...kept];
}
