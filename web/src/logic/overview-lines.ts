import type { Group } from './overview-order';
import type { OverviewItem } from '../api/types';

export type Line = { group: Group } | { item: OverviewItem };

/** Where each line starts, in pixels; the last number is the height of all. */
export function offsets(lines: readonly Line[], groupHeight: number, rowHeight: number): number[] {
  const tops = [0];
  let top = 0;
  for (const line of lines) tops.push((top += 'group' in line ? groupHeight : rowHeight));
  return tops;
}

/** The first line that ends below `y`. */
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

export const linesOf = (groups: readonly Group[]): Line[] =>
  groups.flatMap((group) => [{ group }, ...group.items.map((item) => ({ item }))]);
