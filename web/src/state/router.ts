import { computed, signal } from '@preact/signals';

/** Path and query behind the `#`: the server has one HTML page, and its 404s stay JSON. */
export interface Location {
  path: string[];
  query: URLSearchParams;
}

function read(): Location {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(search) };
}

const current = signal(read());

/** Counts arrivals at a page, also at the one that is shown: the focus moves with each. Changes of the query do not count. */
export const arrivals = signal(0);

function arrive(): void {
  current.value = read();
  arrivals.value++;
}

addEventListener('hashchange', arrive);

/** A link to the page that is shown changes no hash: it is an arrival all the same. */
addEventListener('click', ({ target }) => {
  const link = target instanceof Element && target.closest('a');
  if (link && link.hash !== '' && link.href === location.href) arrive();
});

/** The current location; what reads it renders again when it changes. */
export const route = computed(() => current.value);

/** Path and query as they stand behind the `#`. */
export const address = computed(() => addressOf(current.value));

function addressOf({ path, query }: Location): string {
  const search = query.toString();
  return `/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Navigates to a hash path such as `/alerts?type=slack`. */
export function go(path: string): void {
  if (location.hash === `#${path}`) arrive();
  else location.hash = path;
}

/** The same in place of the current entry in the browser's history: what was in the address is not kept. */
export function replace(path: string): void {
  history.replaceState(null, '', `#${path}`);
  arrive();
}

/** Changes the query in place, without a new entry in the browser's history. `null` removes a parameter. */
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
