import type { OverviewItem } from '../api/types';
import type { Group } from './overview-order';

/** A line in the overview: a group heading or an endpoint. */
export type Line = { group: Group; isFolded: boolean } | { item: OverviewItem; isMixed: boolean };

/** Returns the top of each line in pixels, followed by the total height. */
export function offsets(lines: readonly Line[], groupHeight: number, rowHeight: number): number[] {
  const tops = [0];
  let top = 0;
  for (const line of lines) tops.push((top += 'group' in line ? groupHeight : rowHeight));
  return tops;
}

/** Returns the index of the first line that ends below `y`, in pixels. */
export function lineAt(tops: readonly number[], y: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle + 1] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns each group's heading, followed by its endpoints unless the group is folded. Endpoints of several websites have
 * no heading, because each shows its website.
 */
export const linesOf = (groups: readonly Group[], folded: ReadonlySet<string>): Line[] =>
  groups.flatMap((group): Line[] => {
    const { items, isMixed } = group;
    const isFolded = !isMixed && folded.has(group.id);
    const head = isMixed ? [] : [{ group, isFolded }];
    return [...head, ...(isFolded ? [] : items.map((item) => ({ item, isMixed })))];
  });

export const itemsOf = (lines: readonly Line[]): OverviewItem[] =>
  lines.flatMap((line) => ('item' in line ? [line.item] : []));
