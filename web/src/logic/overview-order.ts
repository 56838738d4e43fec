import type { OverviewItem, Status } from '../api/types';

/** Filters and order of the overview, as the URL holds them. */
export interface Filters {
  text: string;
  status: Status | null;
  website: string | null;
  order: 'worst' | 'name' | 'slowest';
}

/** The endpoints of one website, with their worst status. */
export interface Group {
  id: string;
  name: string;
  status: Status;
  items: OverviewItem[];
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

function matches(item: OverviewItem, { status, website }: Filters, words: readonly string[]): boolean {
  if (status !== null && item.status !== status) return false;
  if (website !== null && item.website.id !== website) return false;
  if (words.length === 0) return true;
  const searched = `${item.name} ${item.url} ${item.type} ${item.website.name} ${item.last_error ?? ''}`.toLowerCase();
  return words.every((word) => searched.includes(word));
}

/** Filters, then groups by website in the requested order: a group stands where its first endpoint would. */
export function grouped(items: readonly OverviewItem[], filters: Filters): Group[] {
  const groups = new Map<string, Group>();
  const words = filters.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const inOrder = ORDERS[filters.order];
  for (const item of items) {
    if (!matches(item, filters, words)) continue;
    const group = groups.get(item.website.id) ?? { ...item.website, status: 'paused', items: [] };
    group.items.push(item);
    if (RANK[item.status] < RANK[group.status]) group.status = item.status;
    groups.set(group.id, group);
  }
  for (const group of groups.values()) group.items.sort(inOrder);
  return [...groups.values()].sort((a, b) => {
    if (filters.order === 'worst') return RANK[a.status] - RANK[b.status] || byName(a, b);
    const [first, second] = [a.items[0], b.items[0]];
    return filters.order === 'name' || !first || !second ? byName(a, b) : inOrder(first, second);
  });
}
