import type { UnrecordedCheck, Website } from '../api/types';
import { type Guess, guessEndpoint } from './endpoint-guess';
import { count } from './format';

/** The maximum number of URLs that can be added at once. For more, use a configuration document. */
export const MOST_LINES = 200;

/** A line in the list. If there is no guess, it can't become an endpoint. */
export interface Line {
  text: string;
  guess: Guess | null;
}

export type Test =
  { state: 'running' } | { state: 'refused'; reason: string } | { state: 'done'; check: UnrecordedCheck };

/** Returns the URLs in a text, one per line, without duplicates. Lines that start with `#` are comments. */
export function linesOf(text: string): Line[] {
  const lines = new Map<string, Line>();
  for (const raw of text.split(/[\r\n]+/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const guess = guessEndpoint(line);
    const key = guess?.url ?? line;
    if (!lines.has(key)) lines.set(key, { text: line, guess });
  }
  return [...lines.values()];
}

/** Returns the text without any line that contains this URL. */
export const without = (text: string, line: Line): string =>
  text
    .split(/[\r\n]+/)
    .filter((raw) => {
      const url = guessEndpoint(raw)?.url;
      return line.guess ? url !== line.guess.url : raw.trim() !== line.text;
    })
    .join('\n');

type Known = Pick<Website, 'id' | 'name' | 'url' | 'key' | 'owner'>;

export interface Choices {
  /** The target website: `hosts` for one website per host, `new` for a new one, or the ID of an existing one. */
  target: string;
  /** The name of the new website. */
  name: string;
  /** In seconds. */
  interval: number;
  /** Names by URL, where they differ from the guess. */
  names: Readonly<Record<string, string>>;
  websites: readonly Known[];
}

interface DeclaredWebsite {
  key: string;
  name: string;
  url: string;
  endpoints: { key: string; name: string; type: string; url: string; interval: number }[];
}

/** A configuration document that declares the endpoints, and where each URL appears in it. */
export interface Declared {
  document: { version: 1; websites: DeclaredWebsite[] };
  /** The pointer and key path for each endpoint, by URL. */
  places: Map<string, { pointer: string; path: string }>;
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^www\./, '');

/** Derives an unused key from a string, and marks it as used. */
function freeKey(text: string, taken: Set<string>): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[^a-z0-9]+|-$/g, '')
    .slice(0, 58);
  const stem = plain === '' ? 'site' : plain;
  let key = stem;
  for (let i = 2; taken.has(key); i++) key = `${stem}-${i}`;
  taken.add(key);
  return key;
}

/** Returns the websites that endpoints can be added to. Websites declared by another document can't be changed here. */
export const openWebsites = <T extends Known>(websites: readonly T[]): T[] =>
  websites.filter(({ owner }) => owner === null || owner === undefined);

/** Returns one document that contains all endpoints. It is applied completely or not at all. */
export function declared(lines: readonly Line[], { target, name, interval, names, websites }: Choices): Declared {
  const open = openWebsites(websites);
  const taken = new Set(websites.flatMap(({ key }) => key ?? []));
  const groups = new Map<string, { website: DeclaredWebsite; keys: Set<string> }>();
  const places: Declared['places'] = new Map();
  const groupOf = ({ website }: Guess) => {
    const group = target === 'hosts' ? website.host : target;
    const known = groups.get(group);
    if (known) return known;
    const there = open.find((each) => (target === 'hosts' ? hostOf(each.url) === website.host : each.id === target));
    const title = there?.name ?? ((target === 'new' && name.trim()) || website.host);
    const made = {
      website: {
        key: there?.key ?? freeKey(title, taken),
        name: title,
        url: there?.url ?? website.url,
        endpoints: [],
      },
      keys: new Set<string>(),
    };
    groups.set(group, made);
    return made;
  };
  for (const { guess } of lines) {
    if (!guess) continue;
    const { website, keys } = groupOf(guess);
    const { url, type } = guess;
    const key = freeKey(guess.name, keys);
    const at = [...groups.values()].findIndex((each) => each.website === website);
    places.set(url, {
      pointer: `/websites/${at}/endpoints/${website.endpoints.length}`,
      path: `${website.key}/${key}`,
    });
    website.endpoints.push({ key, name: names[url]?.trim() || guess.name, type, url, interval });
  }
  return { document: { version: 1, websites: [...groups.values()].map(({ website }) => website) }, places };
}

export function testsText(tests: readonly (Test | undefined)[]): string {
  if (tests.length === 0) return '';
  const ended = tests.filter((test) => test !== undefined && test.state !== 'running');
  const up = ended.filter((test) => test?.state === 'done' && test.check.outcome === 'up').length;
  const rest = ended.length - up;
  const of =
    ended.length === tests.length
      ? `${count(tests.length, 'endpoint')} tested`
      : `${ended.length} of ${tests.length} tested`;
  return `${of}: ${up} up${rest === 0 ? '' : `, ${rest} not`}.`;
}

export function sitemapText({
  urls,
  truncated,
  skipped,
}: {
  urls: string[];
  truncated: boolean;
  skipped: number;
}): string {
  const more = truncated ? ' There are more. These are the first.' : '';
  const others = skipped === 0 ? '' : ` ${skipped} on other hosts were left out.`;
  return `${count(urls.length, 'URL')} read.${more}${others}`;
}
