import { isIP } from 'node:net';

const linesOf = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.replace(/[#;].*/, '').trim())
    .filter((line) => line.length > 0)
    .map((line) => line.split(/\s+/));

/**
 * Parses an `/etc/hosts` file into addresses by name. Names are in lower case, and addresses are in the order of the
 * file.
 */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address = '', ...names] of linesOf(text)) {
    if (!isIP(address)) continue;
    for (const name of names.map((spelling) => spelling.toLowerCase())) {
      const known = hosts.get(name) ?? [];
      if (!known.includes(address)) hosts.set(name, [...known, address]);
    }
  }
  return hosts;
}

/**
 * Returns the domains in the search list, in lower case without a trailing dot. Names under these domains belong to the
 * operator.
 */
export const parseSearchDomains = (resolvConf: string): string[] =>
  linesOf(resolvConf)
    .filter(([key]) => key === 'search' || key === 'domain')
    .flatMap(([, ...domains]) => domains.map((domain) => domain.toLowerCase().replace(/\.$/, '')))
    .filter((domain) => domain !== '');

/**
 * Returns how many dots a name must contain to be looked up unchanged before the search list is tried (`ndots` in
 * `resolv.conf`, default 1). Returns 0 if there is no search list, because every name is then looked up unchanged.
 */
export function parseSearchDots(resolvConf: string): number {
  const lines = linesOf(resolvConf);
  if (!lines.some(([key, ...domains]) => (key === 'search' || key === 'domain') && domains.length > 0)) return 0;
  const options = lines.filter(([key]) => key === 'options').flat();
  const dots = options.map((option) => /^ndots:(\d{1,2})$/.exec(option)?.[1]).find((found) => found !== undefined);
  return dots === undefined ? 1 : Number(dots);
}
