import { domainToASCII } from 'node:url';

const MAX_ADDRESS = 254;
const MAX_LOCAL_BYTES = 64;
const MAX_DOMAIN = 253;
/**
 * Atoms as defined in RFC 5321, plus any printable character outside ASCII (RFC 6531). Quoting isn't allowed, so that
 * an address can't contain another one.
 */
const LOCAL = /^(?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

function partsOf(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf('@');
  return { local: address.slice(0, Math.max(0, at)), domain: address.slice(at + 1) };
}

/** Returns the domain in its ASCII form, such as `xn--mnchen-3ya.example`, or an empty string if it has none. */
const asciiDomain = (domain: string): string => (/^\p{ASCII}*$/u.test(domain) ? domain : domainToASCII(domain));

const isDomain = (domain: string): boolean => domain.length <= MAX_DOMAIN && DOMAIN.test(domain);

/**
 * Returns true for exactly one plain address: no display name, no list, and no quoting, so that it can't add a
 * recipient.
 */
export function isMailAddress(text: string): boolean {
  const { local, domain } = partsOf(text);
  return (
    text.length <= MAX_ADDRESS &&
    LOCAL.test(local) &&
    Buffer.byteLength(local) <= MAX_LOCAL_BYTES &&
    isDomain(asciiDomain(domain))
  );
}

/** Returns the address as mail servers expect it, with an international domain in its ASCII form. */
export function onTheWire(address: string): string {
  const { local, domain } = partsOf(address);
  return `${local}@${asciiDomain(domain)}`;
}

/** Returns an address's domain in its ASCII form. */
export const mailDomain = (address: string): string => asciiDomain(partsOf(address).domain);

/** A sender in the form shown in the `From` header. */
export interface MailSender {
  name: string;
  address: string;
}

/**
 * Parses `Uptime <uptime@example.com>` or a plain address. Returns `null` for anything else, including lists and line
 * breaks.
 */
export function parseSender(text: string): MailSender | null {
  const sender = text.trim();
  const [, quoted, bare, inBrackets] = /^(?:"([^"<>]*)"\s*|([^"<>,;]*))<([^<>\s]+)>$/.exec(sender) ?? [];
  const address = inBrackets ?? sender;
  if (!isMailAddress(address)) return null;
  return { name: (quoted ?? bare ?? '').trim(), address };
}
