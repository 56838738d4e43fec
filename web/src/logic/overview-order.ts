import type { OverviewItem, Status, Website } from '../api/types';

/** Filters and order of the overview, as the URL holds them. */
export interface Filters {
  text: string;
  status: Status | null;
  website: string | null;
  order: 'worst' | 'name' | 'slowest';
}

/** What the overview shows of a website. */
export type GroupWebsite = Pick<Website, 'id' | 'name' | 'url' | 'status' | 'enabled' | 'endpoint_count'>;

/** The endpoints below one head: those of a website, or of all of them. */
export interface Group {
  id: string;
  name: string;
  /** The worst of the website. */
  status: Status;
  items: OverviewItem[];
  /** How many more of the website's endpoints stand above, among all that are down. */
  above: number;
  /** Whether the endpoints belong to several websites: each then says to which. */
  isMixed: boolean;
}

const RANK: Record<Status, number> = { down: 0, unknown: 1, up: 2, paused: 3 };
/** Worst first. */
export const STATUSES: readonly Status[] = ['down', 'unknown', 'up', 'paused'];

/** Number of endpoints by status. */
export function countsOf(items: readonly OverviewItem[]): Record<Status, number> {
  const counts: Record<Status, number> = { up: 0, down: 0, unknown: 0, paused: 0 };
  for (const item of items) counts[item.status]++;
  return counts;
}

const { compare } = new Intl.Collator('en', { numeric: true });
const byName = (a: { name: string }, b: { name: string }): number => compare(a.name, b.name);

const ORDERS: Record<Filters['order'], (a: OverviewItem, b: OverviewItem) => number> = {
  worst: (a, b) => RANK[a.status] - RANK[b.status] || (a.uptime_24h ?? 2) - (b.uptime_24h ?? 2) || byName(a, b),
  name: byName,
  slowest: (a, b) => (b.p95_ms ?? -1) - (a.p95_ms ?? -1) || byName(a, b),
};

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** The endpoints that text and website select, in any status: what the counters count. */
export function selected(items: readonly OverviewItem[], { text, website }: Filters): OverviewItem[] {
  const words = wordsOf(text);
  return items.filter((item) => {
    if (website !== null && item.website.id !== website) return false;
    if (words.length === 0) return true;
    const searched =
      `${item.name} ${item.url} ${item.type} ${item.website.name} ${item.last_error ?? ''}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** The websites that have a head also without an endpoint to show: all that the filters do not rule out. */
function shownWebsites(websites: readonly GroupWebsite[], { text, website, status }: Filters): GroupWebsite[] {
  const words = wordsOf(text);
  return websites.filter(
    ({ id, name, url }) =>
      status === null &&
      (website === null || id === website) &&
      words.every((word) => `${name} ${url}`.toLowerCase().includes(word)),
  );
}

const mixed = (id: string, name: string, status: Status, items: OverviewItem[]): Group[] =>
  items.length === 0 ? [] : [{ id, name, status, items, above: 0, isMixed: true }];

/**
 * Filters, then groups. Worst first: whatever is down, of all websites, then the rest by website. Slowest first: one list of
 * all. By name: by website. A website without endpoints comes last, or where its name stands.
 */
export function grouped(
  items: readonly OverviewItem[],
  filters: Filters,
  websites: readonly GroupWebsite[] = [],
): Group[] {
  const { order, status } = filters;
  const found = selected(items, filters).filter((item) => status === null || item.status === status);
  found.sort(ORDERS[order]);
  if (order === 'slowest') return mixed('all', 'All endpoints', 'unknown', found);

  const isAbove = (item: OverviewItem) => order === 'worst' && item.status === 'down';
  const groups = new Map<string, Group & { isEmpty: boolean }>();
  const groupOf = (id: string, name: string, worst: Status, isEmpty: boolean) => {
    const group = groups.get(id) ?? { id, name, status: worst, items: [], above: 0, isMixed: false, isEmpty };
    groups.set(id, group);
    return group;
  };
  for (const item of found) {
    const group = groupOf(item.website.id, item.website.name, 'paused', false);
    if (isAbove(item)) group.above++;
    else group.items.push(item);
    if (RANK[item.status] < RANK[group.status]) group.status = item.status;
  }
  for (const { id, name, status: own } of shownWebsites(websites, filters)) groupOf(id, name, own, true);
  const inOrder = [...groups.values()].sort((a, b) =>
    order === 'name'
      ? byName(a, b)
      : Number(a.isEmpty) - Number(b.isEmpty) || RANK[a.status] - RANK[b.status] || byName(a, b),
  );
  const kept = status === null ? inOrder : inOrder.filter((group) => group.items.length > 0);
  return [...mixed('down', 'Down', 'down', found.filter(isAbove)), ...kept];
}
