import ipaddr from 'ipaddr.js';

/**
 * Returns the `name[:port]` of a Host header in lower case, without the brackets of an IPv6 address. Returns `null` if
 * the header is invalid.
 */
function hostNameOf(host: string | undefined): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

/** Returns true for names and addresses that always mean the local machine. Names that DNS resolves never count. */
export function isLoopbackHost(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/** A request's destination, as stated in the request. */
export interface Destination {
  host: string | undefined;
  /** The address on which the connection was accepted. */
  localAddress: string | undefined;
}

/**
 * Returns true if the Host header names this machine, the address on which the request arrived, or one of the `allowed`
 * names (with or without port). Any other name may belong to a hostile page whose domain resolves to this service (DNS
 * rebinding).
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

/** Returns true if the Host header names the local machine. */
export const isLoopbackDestination = (host: string | undefined): boolean => isLoopbackHost(hostNameOf(host) ?? '');
