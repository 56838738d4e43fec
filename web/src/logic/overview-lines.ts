import type { OverviewItem } from '../api/types';
import type { Group } from './overview-order';

/** A line of the overview: the head of a group, or an endpoint. */
export type Line = { group: Group; isFolded: boolean } | { item: OverviewItem; isMixed: boolean };

/** The top of each line in pixels, and the height of all as the last number. */
export function offsets(lines: readonly Line[], groupHeight: number, rowHeight: number): number[] {
  const tops = [0];
  let top = 0;
  for (const line of lines) tops.push((top += 'group' in line ? groupHeight : rowHeight));
  return tops;
}

/** Index of the first line that ends below `y`, in pixels. */
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

/** Each group's head, then its endpoints unless they are folded away. */
export const linesOf = (groups: readonly Group[], folded: ReadonlySet<string>): Line[] =>
  groups.flatMap((group): Line[] => {
    const { items, isMixed } = group;
    const isFolded = folded.has(group.id);
    return [{ group, isFolded }, ...(isFolded ? [] : items.map((item) => ({ item, isMixed })))];
  });

/** The endpoints of the lines, in their order. */
export const itemsOf = (lines: readonly Line[]): OverviewItem[] =>
  lines.flatMap((line) => ('item' in line ? [line.item] : []));
