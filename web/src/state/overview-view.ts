import { signal } from '@preact/signals';

const STORED = 'uptime.folded';

function stored(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(STORED) ?? '[]') as string[]);
  } catch {
    return new Set();
  }
}

/** The websites whose endpoints are folded away on the overview, by id; kept in this browser. */
export const folded = signal(stored());

/** Folds websites, or unfolds them. */
export function fold(ids: readonly string[], isFolded: boolean): void {
  const next = new Set(folded.value);
  for (const id of ids)
    if (isFolded) next.add(id);
    else next.delete(id);
  folded.value = next;
  try {
    localStorage.setItem(STORED, JSON.stringify([...next]));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

/** On a phone rows have boxes only while this is on: there is no place for them otherwise. */
export const isSelecting = signal(false);

/** The endpoints that are selected for a change of several at once, by id. */
export const picked = signal<ReadonlySet<string>>(new Set());
let last = '';

/** Selects or deselects an endpoint; with `isRange` all of `shown` from the one before to it. */
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
