import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns whether a host is accessed without the proxy. Rules are `*`, a hostname including its subdomains (`.corp`,
 * `corp`), `host:port`, or a network.
 */
export function isDirect(rules: readonly string[], host: string, port: number): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return rules.some((rule) => covers(rule.trim().toLowerCase(), name, port));
}

function covers(rule: string, name: string, port: number): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return isWithin(name, rule);
  const isBareIPv6 = !rule.startsWith('[') && rule.indexOf(':') !== rule.lastIndexOf(':');
  const [, written = '', only] = isBareIPv6 ? [rule, rule] : (/^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(rule) ?? []);
  const host = written.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  if (host === '' || (only !== undefined && Number(only) !== port)) return false;
  return name === host || (isIP(name) === 0 && name.endsWith(`.${host}`));
}

function isWithin(address: string, network: string): boolean {
  if (!ipaddr.isValid(address) || !ipaddr.isValidCIDR(network)) return false;
  const [one, [range, bits]] = [ipaddr.parse(address), ipaddr.parseCIDR(network)];
  return one.kind() === range.kind() && one.match(range, bits);
}
