import { signal } from '@preact/signals';
import { ApiProblem, remove } from '../api/client';
import { dismiss, errorMessage, showToast, UNDO_MS } from './toast';

/** Something that is deleted by its path, which ends with its id. */
export interface Target {
  path: string;
  name: string;
}

/** Ids of what is deleted, or will be unless it is taken back. No id comes twice: they stay. */
const gone = signal<ReadonlySet<string>>(new Set());
const waiting = new Set<(isLeaving?: boolean) => Promise<unknown>>();

const idOf = ({ path }: Target): string => path.slice(path.lastIndexOf('/') + 1);

function hide(targets: readonly Target[], isHidden: boolean): void {
  const next = new Set(gone.peek());
  for (const id of targets.map(idOf)) next[isHidden ? 'add' : 'delete'](id);
  gone.value = next;
}

/** The list without what is deleted, at once; what renders it renders again when that is taken back. */
export const present = <T extends { id: string }>(list: T[]): T[] =>
  gone.value.size === 0 ? list : list.filter(({ id }) => !gone.value.has(id));

/**
 * Takes things off the page now and deletes them in ten seconds, so that it can be taken back. What is not deleted comes back
 * with the reason. `then`: after each that was.
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
      // Somebody else was faster.
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

/** Deletes at once what waits. `isLeaving`: the requests outlive the page. */
export const deleteWaiting = (isLeaving = false): Promise<unknown> =>
  Promise.all([...waiting].map((now) => now(isLeaving)));
