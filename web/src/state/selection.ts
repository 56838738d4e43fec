import { type Signal, useSignal } from '@preact/signals';
import { useKeys } from './keyboard';
import { go } from './router';

interface Listed {
  ids: readonly string[];
  /** Where the page of each is: the path before its id. */
  path: string;
  /** Whether any may be chosen, and (`canPick`) whether this one may. */
  maySelect: boolean;
  canPick?: (id: string) => boolean;
}

export interface Selection {
  /** The one that the keys act on; its link has the id `link-<id>`. */
  current: Signal<string | null>;
  isSelecting: Signal<boolean>;
  picked: Signal<ReadonlySet<string>>;
  toggle: (id: string) => void;
  /** Begins to choose, or ends it and forgets what was chosen. */
  select: (isOn: boolean) => void;
}

/** A list that is walked with `j` and `k`, opened with Enter, and chosen from with `x`. */
export function useSelection({ ids, path, maySelect, canPick = () => true }: Listed): Selection {
  const current = useSignal<string | null>(null);
  const isSelecting = useSignal(false);
  const picked = useSignal<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    if (!canPick(id)) return;
    const next = new Set(picked.value);
    if (!next.delete(id)) next.add(id);
    picked.value = next;
  };
  const select = (isOn: boolean) => {
    isSelecting.value = isOn;
    if (!isOn) picked.value = new Set();
  };
  const move = (by: number) => {
    const index = ids.findIndex((id) => id === current.value);
    const next = ids[Math.min(Math.max(index + by, 0), ids.length - 1)];
    if (next === undefined) return;
    current.value = next;
    document.getElementById(`link-${next}`)?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => current.value !== null && go(`${path}/${current.value}`),
    x: () => {
      if (current.value === null || !maySelect) return;
      isSelecting.value = true;
      toggle(current.value);
    },
  });
  return { current, isSelecting, picked, toggle, select };
}
