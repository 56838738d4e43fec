import { isIP } from 'node:net';
import { InvalidTarget, parseHostPort } from '../../../src/checker/checker';
import { DNS_RECORD_TYPES, parseDnsTarget } from '../../../src/checker/dns/dns-target';
import { parseHttpTarget } from '../../../src/checker/http/http-target';
import { readUrl } from '../../../src/platform/text/read-url';
import { bracketed, normalizeHost } from '../../../src/platform/net/egress/host-name';
import type { CheckType } from './condition/assertions';
import { type Fields, quoted } from './fields';
import { asWritten, hasVariable } from './variables';

/** The target of a Gatus endpoint, in the form our checks use. */
export interface Target {
  type: CheckType;
  /** The URL, with marked variables. */
  url: string;
  /** The percent-encoded name and password from the URL. */
  credentials: string | null;
  recordType: string;
  /** The origin of an HTTP or HTTPS URL. `null` for other URLs, or if a variable hides it. */
  origin: string | null;
  /** As much of the host as is known. It is used to group endpoints that have no group. */
  host: string;
  /** The settings of the type that follow from the URL. */
  settings?: object;
}

/** A target, or why no check can reach it. */
export type TargetResult = { target: Target } | { refused: string };

/** Why we have no check for a URL scheme. */
const NO_CHECK: Readonly<Record<string, string>> = {
  sctp: 'SCTP checks are not supported',
};

/** Reads an endpoint's `url` and `dns`. */
export function readTarget(fields: Fields): TargetResult {
  const url = fields.text('url')?.trim() ?? '';
  const dns = fields.inner('dns');
  if (url === '') return { refused: 'it has no url' };
  try {
    return dns === null ? byScheme(url, fields) : dnsTarget(url, dns);
  } catch (error) {
    if (!(error instanceof InvalidTarget)) throw error;
    return { refused: `its url ${quoted(url)} is not a valid target: ${error.message}` };
  }
}

function byScheme(url: string, fields: Fields): TargetResult {
  const [, scheme = '', rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(url) ?? [];
  const refused = NO_CHECK[scheme.toLowerCase()];
  if (refused !== undefined) return { refused };
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
      return webTarget(scheme.toLowerCase() === 'https' ? 'HTTPS' : 'HTTP', url);
    case 'tcp':
      return hostTarget('TCP', rest, `tcp://${rest}`);
    case 'tls':
      return hostTarget('TCP', rest, `tcp://${rest}`, { tls: true });
    case 'starttls':
      return hostTarget('TCP', rest, `tcp://${rest}`, { starttls: 'smtp' });
    case 'udp':
      return hostTarget('UDP', rest, `udp://${rest}`);
    case 'grpc':
    case 'grpcs':
      return hostTarget('GRPC', rest, `${scheme.toLowerCase()}://${rest}`);
    case 'ws':
    case 'wss':
      return webSocketTarget(url, rest);
    case 'icmp':
      return hostTarget('ICMP', rest, `icmp://${isIP(rest) === 6 ? bracketed(rest) : rest}`);
    case 'ssh':
      return hostTarget('SSH', rest, `ssh://${rest}`);
    case '':
      if (hasVariable(url) && /\[(STATUS|BODY)\]/i.test(JSON.stringify(fields.raw('conditions'))))
        return webTarget('HTTP', url);
      return { refused: `its url ${quoted(url)} has no scheme, so its type is unknown` };
    default:
      return { refused: `${quoted(scheme)}:// URLs are not supported` };
  }
}

function webTarget(type: 'HTTP' | 'HTTPS', written: string): TargetResult {
  const [, credentials = null] = /^https?:\/\/([^/?#]*)@/i.exec(written) ?? [];
  const url = written.replace(/#.*/s, '').replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  if (!hasVariable(url)) parseHttpTarget(url, WEB_FORM, /^https?:\/\/[^/?#]/i);
  const isKnown = authority !== '' && !hasVariable(authority);
  const origin = isKnown ? (readUrl(`${type.toLowerCase()}://${authority}`)?.origin ?? null) : null;
  const host = origin === null ? shownHost(authority) : new URL(origin).hostname;
  return { target: { type, url, credentials, recordType: '', origin, host } };
}

const WEB_FORM = 'http://host[:port]/path or https://host[:port]/path';

function webSocketTarget(url: string, rest: string): TargetResult {
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  if (authority.includes('@'))
    return { refused: 'its url contains credentials, which WebSocket checks do not support' };
  const read = hasVariable(url) ? null : readUrl(url);
  const isValid = read !== null && read.port !== '0' && normalizeHost(read.hostname) !== null && !/\s/.test(url);
  if (!hasVariable(url) && !isValid) return { refused: `its url ${quoted(url)} is not a valid target` };
  return {
    target: {
      type: 'WEBSOCKET',
      url: url.replace(/#.*/s, ''),
      credentials: null,
      recordType: '',
      origin: null,
      host: shownHost(authority),
    },
  };
}

function hostTarget(
  type: 'TCP' | 'ICMP' | 'SSH' | 'UDP' | 'GRPC',
  rest: string,
  url: string,
  settings?: object,
): TargetResult {
  const address = rest.replace(/\/$/, '');
  const target = (host: string): TargetResult => ({
    target: {
      type,
      url: url.replace(/\/$/, ''),
      credentials: null,
      recordType: '',
      origin: null,
      host,
      ...(settings && { settings }),
    },
  });
  if (hasVariable(address)) return target(shownHost(address));
  if (type === 'ICMP') {
    const host = normalizeHost(isIP(address) === 6 ? bracketed(address) : address);
    return host === null ? { refused: `its host ${quoted(address)} is not valid` } : target(host);
  }
  const form = type === 'SSH' ? 'ssh://host[:port]' : `${type.toLowerCase()}://host:port`;
  const what = 'the target must be a host and a port';
  return target(
    parseHostPort(address, { scheme: type.toLowerCase(), ...(type === 'SSH' ? { defaultPort: 22 } : {}), what, form })
      .host,
  );
}

const shownHost = (address: string): string => asWritten(address).replace(/:\d+$/, '') || 'unknown';

/** For a DNS check, the URL is the resolver. The query is in `dns`. */
function dnsTarget(url: string, dns: Fields): TargetResult {
  const recordType = (dns.text('query-type') ?? '').toUpperCase();
  const name = dns.text('query-name') ?? '';
  dns.noteRest();
  if (name === '') return { refused: 'dns.query-name is missing' };
  if (hasVariable(name + url + recordType))
    return { refused: 'the name, the record type, or the server contains a variable' };
  if (!DNS_RECORD_TYPES.some((known) => known === recordType))
    return { refused: `DNS records of type ${quoted(recordType) || '(none)'} are not supported` };
  const asked = recordType === 'PTR' ? reverseName(name) : name.replace(/(?<=.)\.$/, '');
  const resolver = url.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '');
  const target = `dns://${isIP(resolver) === 6 ? bracketed(resolver) : resolver}/${asked}?type=${recordType}`;
  parseDnsTarget(target);
  return { target: { type: 'DNS', url: target, credentials: null, recordType, origin: null, host: asked } };
}

/** Gatus automatically queries the reverse name for an IP address. */
function reverseName(name: string): string {
  const bare = name.replace(/\.$/, '');
  if (isIP(bare) === 4) return `${bare.split('.').reverse().join('.')}.in-addr.arpa`;
  if (isIP(bare) !== 6) return bare;
  const [head = '', tail] = bare.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  const digits = [...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}
