import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { page } from '../api/client';
import { attempt, reason } from './toast';

/** A function that sets a signal, for controls. */
export const into =
  <T>(target: Signal<T>) =>
  (value: T): void => {
    target.value = value;
  };

/** A function that changes some fields of a signal's object. */
export const patch =
  <T extends object>(target: Signal<T>) =>
  (changes: Partial<T>): void => {
    target.value = { ...target.value, ...changes };
  };

export interface Loaded<T> {
  data: Signal<T | undefined>;
  error: Signal<string | null>;
  reload: () => void;
}

/**
 * Loads something for a screen, again whenever `key` changes or `reload` is called. Old data stays visible meanwhile, and
 * an answer that is overtaken by a newer question is dropped.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<string | null>(null);
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
        if (!controller.signal.aborted) error.value = reason(thrown);
      },
    );
    return () => controller.abort();
  }, [key, current]);

  useEffect(() => {
    data.value = undefined;
    error.value = null;
  }, [key]);

  return {
    data,
    error,
    reload: () => {
      version.value++;
    },
  };
}

/** Runs the latest `work` every `seconds` while the page is visible. */
export function useEvery(seconds: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
}

export interface Pages<T> {
  items: Signal<T[] | null>;
  /** Loads the next page; `null` on the last one. */
  older: (() => void) | null;
}

/**
 * A list that is read page by page, newest first. Reads the first page again when `path` or `version` changes, but never
 * takes away pages that a person asked for.
 */
export function usePages<T extends { id: string }>(path: string, version: unknown): Pages<T> {
  const items = useSignal<T[] | null>(null);
  const next = useSignal<string | null>(null);

  useEffect(() => {
    items.value = null;
  }, [path]);

  useEffect(() => {
    const controller = new AbortController();
    attempt(async () => {
      const list = await page<T>(path, controller.signal).catch((error: unknown) => {
        if (!controller.signal.aborted) throw error;
      });
      if (!list) return;
      const fresh = new Set(list.items.map(({ id }) => id));
      const known = items.peek() ?? [];
      const isConnected = known.length > list.items.length && known.some(({ id }) => fresh.has(id));
      items.value = isConnected ? [...list.items, ...known.filter(({ id }) => !fresh.has(id))] : list.items;
      if (!isConnected) next.value = list.next;
    }).catch(() => undefined);
    return () => controller.abort();
  }, [path, version]);

  const older = () =>
    void attempt(async () => {
      const list = await page<T>(`${path}${path.includes('?') ? '&' : '?'}cursor=${next.value}`);
      items.value = [...(items.value ?? []), ...list.items];
      next.value = list.next;
    });
  return { items, older: next.value === null ? null : older };
}
