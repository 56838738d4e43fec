import { type Signal, useSignal } from '@preact/signals';
import { useKeys } from './keyboard';
import { go } from './router';

interface Listed {
  ids: readonly string[];
  /** The path to an item's page, without the ID. */
  path: string;
  /** Whether items can be selected. `canPick` decides for each one. */
  maySelect: boolean;
  canPick?: (id: string) => boolean;
}

export interface Selection {
  /** The item that keys act on. Its link has the ID `link-<id>`. */
  current: Signal<string | null>;
  isSelecting: Signal<boolean>;
  picked: Signal<ReadonlySet<string>>;
  toggle: (id: string) => void;
  /** Starts selecting, or stops and clears the selection. */
  select: (isOn: boolean) => void;
}

/** Binds keys for a list: `j` and `k` move, Enter opens, and `x` selects. */
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
