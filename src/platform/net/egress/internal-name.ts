import { classify, readings } from './address-class';

/** Reserved, or never delegated, because networks of their own use them. */
const INTERNAL_ENDS = ['local', 'lan', 'internal', 'intranet', 'private', 'corp', 'home', 'localdomain', 'home.arpa'];

/** Said of a refused name. */
export const INTERNAL_REFUSAL = 'names of internal networks are refused';

/**
 * True for a name that means nothing on the internet, so that an answer tells only about the network of whom is asked: one
 * label, the usual endings of internal zones, the reverse zones of private addresses, and what is under `domains`.
 */
export function isInternalName(name: string, domains: readonly string[] = []): boolean {
  const bare = name.toLowerCase().replace(/\.$/, '');
  if (bare === '') return false;
  const isUnder = (end: string) => bare === end || bare.endsWith(`.${end}`);
  if (bare.endsWith('.arpa')) return isUnder('home.arpa') || isPrivateReverse(bare);
  return !bare.includes('.') || INTERNAL_ENDS.some(isUnder) || domains.some(isUnder);
}

/** `1.10.in-addr.arpa` is the zone of 10.1.0.0, `d.f.ip6.arpa` that of fd00::. */
function isPrivateReverse(name: string): boolean {
  const labels = name.split('.').slice(0, -2).reverse();
  if (name.endsWith('.in-addr.arpa')) return isPrivate([...labels, '0', '0', '0'].slice(0, 4).join('.'));
  if (!name.endsWith('.ip6.arpa')) return false;
  const nibbles = labels.join('').padEnd(32, '0').slice(0, 32);
  return isPrivate((nibbles.match(/.{4}/g) ?? []).join(':'));
}

const isPrivate = (address: string): boolean =>
  readings(address).some((reading) => ['private', 'forbidden'].includes(classify(reading).tier));
