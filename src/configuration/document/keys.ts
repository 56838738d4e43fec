import { KEY } from '../../platform/http/body/resource-key';

const MOST = 64;

/** What a name becomes in addresses and keys: lower case, without accents, `-` for all the rest. May be empty. */
export const slugFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[^a-z0-9]+|-$/g, '');

/** For each set of keys the number that each slug has come to: thousands of one name take no longer than others. */
const numbers = new WeakMap<Set<string>, Map<string, number>>();

/**
 * A key made of a name, different from all in `taken`, to which it is added: `front-page`, then `front-page-2`. The same
 * names in the same order give the same keys. A name without a letter or digit of ASCII becomes `unnamed`.
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
