import ipaddr from 'ipaddr.js';

/** `name[:port]` of a Host header in lower case, an IPv6 address without its brackets; `null` when it is none. */
function hostNameOf(host: string | undefined): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

/** True for names and addresses that lead to this machine from wherever they are used, and for nothing that DNS decides. */
export function isLoopbackHost(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/** A request's own account of where it was sent. */
export interface Destination {
  /** The Host header. */
  host: string | undefined;
  /** The address that the connection was accepted on. */
  localAddress: string | undefined;
}

/**
 * True when the Host header is this machine, the very address the request came to, or one of the `allowed` names (with or
 * without port). Any other name may be one that a hostile page has made its own and pointed at us (DNS rebinding).
 */
export function isOwnHost({ host, localAddress }: Destination, allowed: readonly string[]): boolean {
  const name = hostNameOf(host);
  if (name === null) return false;
  if (isLoopbackHost(name)) return true;
  if (allowed.some((one) => one.toLowerCase() === name || one.toLowerCase() === host?.toLowerCase())) return true;
  return ipaddr.isValid(name) && localAddress !== undefined && sameAddress(name, localAddress);
}

const sameAddress = (a: string, b: string): boolean =>
  ipaddr.isValid(b) && ipaddr.process(a).toNormalizedString() === ipaddr.process(b).toNormalizedString();

/** True when the Host header names this machine itself. */
export const isLoopbackDestination = (host: string | undefined): boolean => isLoopbackHost(hostNameOf(host) ?? '');
