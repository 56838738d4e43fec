import { computed, signal } from '@preact/signals';

/** The path and query after the `#`. The server has only one HTML page, so that its 404 responses can be JSON. */
export interface Location {
  path: string[];
  query: URLSearchParams;
}

function read(): Location {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(search) };
}

const current = signal(read());

/** Counts page arrivals, including the current one. Each one moves the focus. Query changes don't count. */
export const arrivals = signal(0);

function arrive(): void {
  current.value = read();
  arrivals.value++;
}

addEventListener('hashchange', arrive);

/** A link to the current page doesn't change the hash, but it also counts as an arrival. */
addEventListener('click', ({ target }) => {
  const link = target instanceof Element && target.closest('a');
  if (link && link.hash !== '' && link.href === location.href) arrive();
});

/** The current location. Components that read it re-render when it changes. */
export const route = computed(() => current.value);

/** The path and query after the `#`. */
export const address = computed(() => addressOf(current.value));

/** Whether the page is a form for something new or for its settings. Single-key shortcuts are off there. */
export const isFormPage = computed(() => current.value.path.some((part) => part === 'new' || part === 'edit'));

function addressOf({ path, query }: Location): string {
  const search = query.toString();
  return `/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Navigates to a hash path such as `/alerts?type=slack`. */
export function go(path: string): void {
  if (location.hash === `#${path}`) arrive();
  else location.hash = path;
}

/** Navigates without a new entry in the browser's history, so that the previous URL isn't kept. */
export function replace(path: string): void {
  history.replaceState(null, '', `#${path}`);
  arrive();
}

/** Changes the query without a new entry in the browser's history. `null` removes a parameter. */
export function setQuery(changes: Record<string, string | null>): void {
  const next = read();
  const { query } = next;
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(key);
    else query.set(key, value);
  }
  history.replaceState(null, '', `#${addressOf(next)}`);
  current.value = read();
}
