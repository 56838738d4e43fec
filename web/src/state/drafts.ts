import { effect, type Signal, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { address } from './router';
import { whose } from './session';

type Fields = Readonly<Record<string, Signal<unknown>>>;

/** What was filled in at a form and is neither saved nor discarded. */
export interface Draft {
  /** The address of its form. */
  at: string;
  /** `an unsaved endpoint`. */
  what: string;
  fields: Fields;
  /** The fields as they were when the form was opened, or last saved. */
  start: string;
  /** Somebody has come back to it. */
  isResumed: boolean;
}

/** In the memory of this tab and nowhere else: forms hold secrets, which no storage of the browser must keep. */
export const drafts = signal<readonly Draft[]>([]);

/** Counts what was discarded on the page that is shown: its forms begin again. */
export const discarded = signal(0);

// Nobody else sees them.
whose.subscribe(() => {
  drafts.value = [];
});

addEventListener('beforeunload', (event) => {
  if (drafts.value.length > 0) event.preventDefault();
});

const textOf = (fields: Fields): string => JSON.stringify(Object.values(fields).map(({ value }) => value));

const without = (draft: Draft): readonly Draft[] => drafts.peek().filter((each) => each !== draft);

/** Forgets what was filled in at an address. */
export function forget(at: string): void {
  drafts.value = drafts.peek().filter((each) => each.at !== at);
}

/** Forgets it and shows its form, if that is on the page, as it was. */
export function discard(at: string): void {
  forget(at);
  if (at === address.peek()) discarded.value++;
}

/**
 * The fields of the form at this address: as they were left, until `saved` is called or the draft is discarded, otherwise
 * those that `make` returns.
 */
export function useDraft<T extends Fields>(what: string, make: () => T): T & { saved: () => void } {
  const [draft] = useState(() => {
    const at = address.peek();
    const left = drafts.peek().find((each) => each.at === at);
    if (left) return left;
    const fields = make();
    return { at, what, fields, start: textOf(fields), isResumed: false };
  });
  useEffect(() => {
    if (drafts.peek().includes(draft)) {
      draft.isResumed = true;
      drafts.value = [...drafts.peek()];
    }
    return effect(() => {
      const isChanged = textOf(draft.fields) !== draft.start;
      if (isChanged === drafts.peek().includes(draft)) return;
      drafts.value = isChanged ? [...drafts.peek(), draft] : without(draft);
    });
  }, []);
  const saved = () => {
    draft.start = textOf(draft.fields);
    drafts.value = without(draft);
  };
  // The form at an address is always the same.
  return { ...(draft.fields as T), saved };
}
