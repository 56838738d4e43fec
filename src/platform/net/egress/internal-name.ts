import { classify, readings } from './address-class';

/** Top-level labels that are reserved, or that will never be delegated because internal networks use them. */
const INTERNAL_ENDS = new Set(['local', 'lan', 'internal', 'intranet', 'private', 'corp', 'home', 'localdomain']);

export const INTERNAL_REFUSAL = 'names of internal networks are refused';

/**
 * Returns true for a name that has no meaning on the internet, so that a result would reveal something about the
 * operator's network. Such names are single labels, names with the usual suffixes of internal zones, the reverse zones
 * of private addresses, and names under `domains`.
 */
export function isInternalName(name: string, domains: readonly string[] = []): boolean {
  const bare = name.toLowerCase().replace(/\.$/, '');
  if (bare === '') return false;
  const dot = bare.lastIndexOf('.');
  const end = bare.slice(dot + 1);
  if (dot === -1 || INTERNAL_ENDS.has(end)) return true;
  if (end === 'arpa' && (isUnder(bare, 'home.arpa') || isPrivateReverse(bare))) return true;
  return domains.some((domain) => isUnder(bare, domain));
}

const isUnder = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

/** `1.10.in-addr.arpa` is the zone for 10.1.0.0, and `d.f.ip6.arpa` is the zone for fd00::. */
function isPrivateReverse(name: string): boolean {
  const labels = name.split('.').slice(0, -2).reverse();
  if (name.endsWith('.in-addr.arpa')) return isPrivate([...labels, '0', '0', '0'].slice(0, 4).join('.'));
  if (!name.endsWith('.ip6.arpa')) return false;
  const nibbles = labels.join('').padEnd(32, '0').slice(0, 32);
  return isPrivate((nibbles.match(/.{4}/g) ?? []).join(':'));
}

const isPrivate = (address: string): boolean =>
  readings(address).some((reading) => ['private', 'forbidden'].includes(classify(reading).tier));
