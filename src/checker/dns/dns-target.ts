import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { InvalidTarget } from '../checker';

export const DNS_RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SOA', 'SRV', 'CAA', 'PTR'] as const;
export type DnsRecordType = (typeof DNS_RECORD_TYPES)[number];

export const DNS_TARGET_FORM =
  'dns:[//resolver[:port]/]name[?type=A|AAAA|CNAME|MX|NS|TXT|SOA|SRV|CAA|PTR] or a bare name';

/** The question of a DNS check, and its resolver. */
export interface DnsTarget {
  /** `null` means the resolvers that are configured on this machine. */
  resolver: { host: string; port: number } | null;
  /** The name in ASCII (punycode) and lowercase, without the trailing dot. `.` is the root. */
  name: string;
  /** One type, or A and AAAA for a bare name. In that case, one record of either type is enough. */
  types: readonly DnsRecordType[];
}

const DEFAULT_PORT = 53;

/**
 * Parses an RFC 4501 URI (`dns://192.0.2.53/example.com?type=MX`) or a bare hostname. Keys and types are
 * case-insensitive. Query parameters may be separated by `;` or `&`. The default type of a URI is A, as in the RFC.
 * Throws: `InvalidTarget`.
 */
export function parseDnsTarget(url: string): DnsTarget {
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters.
  if (/[\u0000-\u0020\u007f]/.test(url)) throw invalid('a DNS target has no spaces or control characters');
  const uri = /^dns:(.*)$/i.exec(url);
  return uri?.[1] === undefined ? parseBareName(url) : parseDnsUri(uri[1]);
}

function parseBareName(text: string): DnsTarget {
  if (isIP(text) !== 0) {
    throw invalid('an IP address has no address records; query its name with dns:1.2.0.192.in-addr.arpa?type=PTR');
  }
  return { resolver: null, name: parseName(text), types: ['A', 'AAAA'] };
}

function parseDnsUri(rest: string): DnsTarget {
  const parts = /^(?:\/\/([^/?#]*)\/)?([^/?#]*)(?:\?([^#]*))?$/.exec(rest);
  if (!parts) throw invalid('this is not a dns: URL');
  const [, authority, name, query] = parts;
  return {
    resolver: authority === undefined || authority === '' ? null : parseResolver(authority),
    name: parseName(decodeName(name ?? '')),
    types: [parseQuery(query ?? '')],
  };
}

function parseResolver(authority: string): { host: string; port: number } {
  const parts = /^(?:\[([^\]]*)\]|([^:@[\]]+))(?::(\d{1,5}))?$/.exec(authority);
  if (!parts) throw invalid('the resolver must be host, host:port or [IPv6]:port');
  const [, bracketed, plain, portText] = parts;
  const port = portText === undefined ? DEFAULT_PORT : Number(portText);
  if (port < 1 || port > 65_535) throw invalid("the resolver's port must be 1 to 65535");
  if (bracketed !== undefined) {
    if (isIP(bracketed) !== 6) throw invalid('only an IPv6 address may be in brackets');
    return { host: bracketed.toLowerCase(), port };
  }
  const host = plain ?? '';
  return { host: isIP(host) === 4 ? host : parseName(host), port };
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw invalid('the name has an invalid percent escape');
  }
}

/** Underscores and a leading `*` are legal in DNS names, but not in hostnames. */
function parseName(text: string): string {
  if (text === '') throw invalid('the name is missing');
  if (text === '.') return text;
  const ascii = /^[\u0021-\u007e]+$/.test(text) ? text : domainToASCII(text);
  const name = ascii.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  if (name.length > 253 || !labels.every((label) => /^[a-z0-9_*-]{1,63}$/.test(label))) {
    throw invalid('the name must be labels of 1 to 63 letters, digits, - or _ between dots, 253 characters at most');
  }
  return name;
}

function parseQuery(query: string): DnsRecordType {
  let type: DnsRecordType = 'A';
  const seen = new Set<string>();
  for (const pair of query.split(/[;&]/).filter((part) => part !== '')) {
    const [key = '', value = ''] = pair.toLowerCase().split('=', 2);
    if (seen.has(key)) throw invalid(`${key} is given twice`);
    seen.add(key);
    if (key === 'type') type = parseType(value);
    else if (key !== 'class') throw invalid('only class and type may follow the question mark');
    else if (value !== 'in') throw invalid('the class must be IN');
  }
  return type;
}

function parseType(text: string): DnsRecordType {
  const type = DNS_RECORD_TYPES.find((known) => known === text.toUpperCase());
  if (!type) throw invalid(`the record type must be one of ${DNS_RECORD_TYPES.join(', ')}`);
  return type;
}

const invalid = (reason: string) => new InvalidTarget(`${reason}; accepted: ${DNS_TARGET_FORM}`);
