import { computed, signal } from '@preact/signals';

/**
 * Returns a signal for a setting that is kept in this browser, and its setter. If the setting can't be read, it is
 * `otherwise`.
 */
export function kept<T>(name: string, otherwise: T) {
  const key = `uptime.${name}`;
  const read = (): T => {
    try {
      return (JSON.parse(localStorage.getItem(key) ?? 'null') as T | null) ?? otherwise;
    } catch {
      return otherwise;
    }
  };
  const value = signal(read());
  const set = (next: T): void => {
    value.value = next;
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without storage, the setting is kept until the page is closed.
    }
  };
  return [value, set] as const;
}

const [foldedIds, setFolded] = kept<string[]>('folded', []);

/** The IDs of the websites that are folded in the overview. */
export const folded = computed((): ReadonlySet<string> => new Set(foldedIds.value));

export function fold(ids: readonly string[], isFolded: boolean): void {
  const others = foldedIds.value.filter((id) => !ids.includes(id));
  setFolded(isFolded ? [...others, ...ids] : others);
}

export const [isCompact, setCompact] = kept('compact', false);

export const WINDOWS = ['24h', '7d', '30d', '90d'] as const;
export type UptimeWindow = (typeof WINDOWS)[number];
export const [uptimeWindow, setUptimeWindow] = kept<UptimeWindow>('window', '24h');

/** Whether the rows have checkboxes. */
export const isSelecting = signal(false);

/** Shows the checkboxes, or hides them and clears the selection. */
export function selectSeveral(isOn: boolean): void {
  isSelecting.value = isOn;
  if (!isOn) picked.value = new Set();
}

/** The IDs of the endpoints that are selected for a bulk change. */
export const picked = signal<ReadonlySet<string>>(new Set());
let last = '';

/** Selects or deselects an endpoint. With `isRange`, this applies to everything in `shown` from the previous one on. */
export function pick(id: string, shown: readonly { id: string }[], isRange: boolean): void {
  const next = new Set(picked.value);
  const isPicked = !next.has(id);
  const ends = [
    shown.findIndex((each) => each.id === (isRange ? last : id)),
    shown.findIndex((each) => each.id === id),
  ];
  const [from = 0, to = 0] = ends.includes(-1) ? [ends[1], ends[1]] : ends.sort((a, b) => a - b);
  for (const each of shown.slice(from, to + 1))
    if (isPicked) next.add(each.id);
    else next.delete(each.id);
  picked.value = next;
  last = id;
}

/** Whether the checklist for the first hour is shown until its steps are done. */
export const [hasFirstSteps, setFirstSteps] = kept('first-steps', true);
