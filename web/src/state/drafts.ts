import { effect, type Signal, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { address } from './router';
import { whose } from './session';

type Fields = Readonly<Record<string, Signal<unknown>>>;

/** The values in a form that have been neither saved nor discarded. */
export interface Draft {
  /** The URL of the form. */
  at: string;
  /** A description such as `an unsaved endpoint`. */
  what: string;
  fields: Fields;
  /** The fields when the form was opened or last saved. */
  start: string;
  /** Whether the user has returned to it. */
  isResumed: boolean;
}

/** Kept only in this tab's memory. Forms contain secrets, which must not be in the browser's storage. */
export const drafts = signal<readonly Draft[]>([]);

/** Counts discarded drafts on the current page. Their forms then start over. */
export const discarded = signal(0);

// Drafts are dropped when the user changes, because others must not see them.
whose.subscribe(() => {
  drafts.value = [];
});

addEventListener('beforeunload', (event) => {
  if (drafts.value.length > 0) event.preventDefault();
});

const textOf = (fields: Fields): string => JSON.stringify(Object.values(fields).map(({ value }) => value));

const without = (draft: Draft): readonly Draft[] => drafts.peek().filter((each) => each !== draft);

/** Drops the draft for a URL. */
export function forget(at: string): void {
  drafts.value = drafts.peek().filter((each) => each.at !== at);
}

/** Drops the draft for a URL. If its form is on the page, the form is reset. */
export function discard(at: string): void {
  forget(at);
  if (at === address.peek()) discarded.value++;
}

/**
 * Returns the fields of the form at this URL. They keep their values until `saved` is called or the draft is discarded.
 * Without a draft, `make` creates them.
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
  // A URL always has the same form, so the type is safe.
  return { ...(draft.fields as T), saved };
}
