import MiniSearch from 'minisearch';
import { OPTIONS } from './search-options';

interface Entry {
  url: string;
  page: string;
  heading: string;
  part: string;
}

let index: Promise<MiniSearch> | null = null;

/** Fetches the index. The next call tries again if this one fails. */
export function load(root: string): Promise<MiniSearch> {
  index ??= fetch(`${root}search.json`)
    .then((response) => {
      if (!response.ok) throw new Error(`The index could not be loaded: ${response.status}`);
      return response.text();
    })
    .then((text) => MiniSearch.loadJSON(text, OPTIONS))
    .catch((error: unknown) => {
      index = null;
      throw error;
    });
  return index;
}

const MOST = 8;

/** Returns the best section of each page that matches, best first. */
export async function find(root: string, text: string): Promise<Entry[]> {
  return bestOf(await load(root), text);
}

export function bestOf(search: MiniSearch, text: string): Entry[] {
  const pages = new Map<string, Entry>();
  for (const { url, page, heading, part } of search.search(text) as unknown as Entry[]) {
    if (!pages.has(page)) pages.set(page, { url, page, heading, part });
    if (pages.size === MOST) break;
  }
  return [...pages.values()];
}
