import { signal } from '@preact/signals';
import { ApiProblem } from '../api/client';
import type { OverviewItem } from '../api/types';
import { forEachInTurn } from '../logic/bulk';
import { refreshSoon, refreshWebsites } from './overview-store';
import { picked } from './overview-view';
import { errorMessage } from './toast';

/** The progress or the result of a bulk change. */
export interface Progress {
  /** A verb such as `Paused` or `Deleted`. */
  verb: string;
  done: number;
  total: number;
  isOver: boolean;
  failures: { name: string; reason: string }[];
  /** Undoes the change. `null` while the change is running, or if it can't be undone. */
  undo: (() => unknown) | null;
}

/** The change that is running, or the last one until it is dismissed. */
export const progress = signal<Progress | null>(null);
let isStopped = false;

/** Stops the change after the current requests. */
export function stopBulk(): void {
  isStopped = true;
}

/**
 * Changes several endpoints, four at a time. Endpoints that failed or weren't reached remain selected. `undo` reverts
 * those that changed.
 */
export async function runBulk(
  verb: string,
  items: readonly OverviewItem[],
  work: (item: OverviewItem) => Promise<unknown>,
  undo?: (done: readonly OverviewItem[]) => unknown,
): Promise<void> {
  isStopped = false;
  const finished = new Set<object>();
  progress.value = { verb, done: 0, total: items.length, isOver: false, failures: [], undo: null };
  const patch = (changes: (now: Progress) => Partial<Progress>) => {
    if (progress.value) progress.value = { ...progress.value, ...changes(progress.value) };
  };
  const failures = await forEachInTurn(items, work, {
    retryAfter: (error) => (error instanceof ApiProblem ? error.retryAfter : null),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isStopped: () => isStopped,
    onDone: (item) => {
      finished.add(item);
      patch(({ done }) => ({ done: done + 1 }));
    },
  });
  for (const { item } of failures) finished.delete(item);
  const done = items.filter((item) => finished.has(item));
  picked.value = new Set(items.filter((item) => !finished.has(item)).map(({ id }) => id));
  patch(() => ({
    isOver: true,
    undo: undo && done.length > 0 ? () => undo(done) : null,
    failures: failures.map(({ item, error }) => ({ name: item.name, reason: errorMessage(error) })),
  }));
  refreshSoon();
  void refreshWebsites();
}
