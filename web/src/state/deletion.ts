import { signal } from '@preact/signals';
import { ApiProblem, remove } from '../api/client';
import { dismiss, errorMessage, showToast, UNDO_MS } from './toast';

/** A resource to delete. Its path ends with its ID. */
export interface Target {
  path: string;
  name: string;
}

/**
 * The IDs of resources that have been deleted, or will be unless the user undoes it. IDs are never reused, so they can
 * be kept.
 */
const gone = signal<ReadonlySet<string>>(new Set());
const waiting = new Set<(isLeaving?: boolean) => Promise<unknown>>();

const idOf = ({ path }: Target): string => path.slice(path.lastIndexOf('/') + 1);

function hide(targets: readonly Target[], isHidden: boolean): void {
  const next = new Set(gone.peek());
  for (const id of targets.map(idOf)) next[isHidden ? 'add' : 'delete'](id);
  gone.value = next;
}

/** Returns the list without deleted items. Components that use it re-render if the user undoes a deletion. */
export const present = <T extends { id: string }>(list: T[]): T[] =>
  gone.value.size === 0 ? list : list.filter(({ id }) => !gone.value.has(id));

/**
 * Hides resources now and deletes them in ten seconds, so that the user can undo it. If a deletion fails, the resource
 * reappears with the reason. `then` runs after each deletion.
 */
export function deleteLater(
  targets: readonly Target[],
  text: string,
  then: () => void = () => undefined,
  send: (path: string, isLeaving: boolean) => Promise<void> = remove,
): void {
  const destroy = async (target: Target, isLeaving: boolean): Promise<void> => {
    try {
      await send(target.path, isLeaving);
    } catch (error) {
      // Someone else has already deleted it.
      if (!(error instanceof ApiProblem && error.status === 404)) {
        hide([target], false);
        showToast(`${target.name} was not deleted. ${errorMessage(error)}`, 'bad');
        return;
      }
    }
    then();
  };
  const now = (isLeaving = false): Promise<unknown> => {
    forget();
    dismiss(toast);
    return Promise.all(targets.map((target) => destroy(target, isLeaving)));
  };
  const timer = setTimeout(() => void now(), UNDO_MS);
  const forget = (): void => {
    clearTimeout(timer);
    waiting.delete(now);
  };
  waiting.add(now);
  hide(targets, true);
  const toast = showToast(text, 'good', () => {
    forget();
    hide(targets, false);
  });
}

/** Sends pending deletions now. With `isLeaving`, the requests continue after the page is closed. */
export const deleteWaiting = (isLeaving = false): Promise<unknown> =>
  Promise.all([...waiting].map((now) => now(isLeaving)));
