import { KEY } from '../../platform/http/body/resource-key';

const MOST = 64;

/**
 * Returns a name in the form used in URLs and keys: lowercase, without accents, with `-` for all other characters. May
 * be empty.
 */
export const slugFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[^a-z0-9]+|-$/g, '');

/**
 * The number that each slug has reached, for each set of keys. This way, thousands of items with the same name take no
 * longer than others.
 */
const numbers = new WeakMap<Set<string>, Map<string, number>>();

/**
 * Creates a key from a name that is different from all keys in `taken`, and adds it there: `front-page`, then
 * `front-page-2`. The same names in the same order result in the same keys. A name without ASCII letters or digits
 * becomes `unnamed`.
 */
export function keyFrom(name: string, taken: Set<string>): string {
  const slug = slugFrom(name).slice(0, MOST).replace(/-$/, '') || 'unnamed';
  const reached = numbers.get(taken) ?? new Map<string, number>();
  numbers.set(taken, reached);
  for (let n = reached.get(slug) ?? 1; ; n++) {
    const tail = n === 1 ? '' : `-${n}`;
    const key = slug.slice(0, MOST - tail.length) + tail;
    if (!taken.has(key) && KEY.test(key)) {
      taken.add(key);
      reached.set(slug, n);
      return key;
    }
  }
}
