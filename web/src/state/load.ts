import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiProblem, page } from '../api/client';
import { present } from './deletion';
import { isOver } from './session';
import { errorMessage, runAction } from './toast';

/** Returns a setter for a signal, for form controls. */
export const into =
  <T>(target: Signal<T>) =>
  (value: T): void => {
    target.value = value;
  };

/** Returns a function that merges changes into a signal's object. */
export const patch =
  <T extends object>(target: Signal<T>) =>
  (changes: Partial<T>): void => {
    target.value = { ...target.value, ...changes };
  };

/** The result of `useLoad`: the latest data, or why there is none. */
export interface Loaded<T> {
  data: ReadonlySignal<T | undefined>;
  error: Signal<string | null>;
  /** Whether the resource doesn't exist. */
  isMissing: Signal<boolean>;
  reload: () => void;
}

/**
 * Loads data for a component, and reloads it when `key` changes or `reload` is called. During a reload, the old data
 * remains on the page until the new data arrives. If a newer request has been sent, an older response is dropped.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<string | null>(null);
  const isMissing = useSignal(false);
  const version = useSignal(0);
  const current = version.value;

  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => {
        if (controller.signal.aborted) return;
        data.value = value;
        error.value = null;
      },
      (thrown: unknown) => {
        if (controller.signal.aborted) return;
        error.value = errorMessage(thrown);
        isMissing.value = thrown instanceof ApiProblem && thrown.status === 404;
      },
    );
    return () => controller.abort();
  }, [key, current]);

  useEffect(() => {
    data.value = undefined;
    error.value = null;
    isMissing.value = false;
  }, [key]);

  return {
    data,
    error,
    isMissing,
    reload: () => {
      version.value++;
    },
  };
}

/** Reloads whenever one of these values changes, but not for their initial values. */
export function useReload({ reload }: Pick<Loaded<unknown>, 'reload'>, changes: readonly unknown[]): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) reload();
    isFirst.current = false;
  }, changes);
}

/** Runs the latest `work` every `seconds` while the page is visible. */
export function useEvery(seconds: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !isOver.peek()) latest.current();
    }, seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
}

/** Runs the latest `work` soon after it is called. Several calls within `ms` run it once. */
export function useSoon(ms: number, work: () => void): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    if (timer.current !== 0) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, ms);
  };
}

/** The result of `usePages`. */
export interface Pages<T> {
  /** `null` until the first page is loaded. */
  items: ReadonlySignal<T[] | null>;
  /** Loads the next page. `null` on the last page. */
  older: (() => void) | null;
  /** Whether the last request failed. */
  hasFailed: boolean;
}

/**
 * Loads a list page by page, newest first. A new `version` reloads the first page and keeps the older pages that the
 * user has loaded. A new `path` starts over.
 */
export function usePages<T extends { id: string }>(path: string, version: unknown): Pages<T> {
  const items = useSignal<T[] | null>(null);
  const next = useSignal<string | null>(null);
  const hasFailed = useSignal(false);

  useEffect(() => {
    items.value = null;
  }, [path]);

  useEffect(() => {
    const controller = new AbortController();
    runAction(async () => {
      const list = await page<T>(path, controller.signal).catch((error: unknown) => {
        if (controller.signal.aborted) return;
        hasFailed.value = true;
        throw error;
      });
      if (!list) return;
      hasFailed.value = false;
      const fresh = new Set(list.items.map(({ id }) => id));
      const known = items.peek() ?? [];
      const isConnected = known.length > list.items.length && known.some(({ id }) => fresh.has(id));
      items.value = isConnected ? [...list.items, ...known.filter(({ id }) => !fresh.has(id))] : list.items;
      if (!isConnected) next.value = list.next;
    }).catch(() => undefined);
    return () => controller.abort();
  }, [path, version]);

  const older = () =>
    void runAction(async () => {
      const list = await page<T>(`${path}${path.includes('?') ? '&' : '?'}cursor=${next.value}`);
      items.value = [...(items.value ?? []), ...list.items];
      next.value = list.next;
    });
  const shown = useComputed(() => items.value && present(items.value));
  return { items: shown, older: next.value === null ? null : older, hasFailed: hasFailed.value };
}
