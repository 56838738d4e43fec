import 'reflect-metadata';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseSender } from '../text/mail-address';
import { readUrl } from '../text/read-url';
import { NO_DATABASE_URL, readDatabaseUrl, WrongDatabaseUrl } from './database-url';
import type { WrongField } from './env';

// These rules don't use class-validator, whose 320 modules take longer to load than everything else that runs before
// settings are rejected.

interface Rule {
  /** The part of the error message that follows the variable name. */
  readonly must: string | ((value: unknown) => string);
  readonly holds: (value: unknown) => boolean;
}

const RULES = Symbol('config:rules');

const rule =
  (must: Rule['must'], holds: Rule['holds']): PropertyDecorator =>
  (target, key) => {
    const below = (Reflect.getMetadata(RULES, target, key) as Rule[] | undefined) ?? [];
    Reflect.defineMetadata(RULES, [...below, { must, holds }], target, key);
  };

/** Defines a rule for a string or for each string in a list. */
const textRule = (must: string, holds: (text: string) => boolean): PropertyDecorator =>
  rule(must, (value) => [value].flat().every((each) => typeof each === 'string' && holds(each)));

/**
 * Returns the fields that break a rule, in the order of the class. If a field breaks several rules, the rule closest to
 * the field is reported. `null` doesn't break any rule.
 */
export const brokenRules = (settings: object): WrongField[] =>
  Object.entries(settings).flatMap(([field, value]) => {
    if (value === null) return [];
    const rules = (Reflect.getMetadata(RULES, settings, field) as Rule[] | undefined) ?? [];
    return rules
      .filter(({ holds }) => !holds(value))
      .slice(0, 1)
      .map(({ must }) => ({ field, must: typeof must === 'string' ? must : must(value) }));
  });

const parses = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

export const IsWholeNumber = (least: number, most: number): PropertyDecorator =>
  rule(
    `must be a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );

export const IsSwitch = rule('must be on or off', (value) => typeof value === 'boolean');

export const OneOf = (words: readonly string[]): PropertyDecorator =>
  textRule(`must be one of ${words.join(', ')}`, (text) => words.includes(text));

/** A character outside the Basic Multilingual Plane counts as one character. */
export const MostCharacters = (most: number): PropertyDecorator =>
  textRule(`must be shorter than or equal to ${most} characters`, (text) => [...text].length <= most);

export const MostItems = (most: number): PropertyDecorator =>
  rule(`must contain no more than ${most} elements`, (value) => Array.isArray(value) && value.length <= most);

export const IsToken = textRule('must be 24 to 200 printable ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]{24,200}$/.test(text),
);

export const IsProbeToken = textRule(
  'must be the token that was shown when the probe was created: ump_ and 36 letters and digits',
  (text) => /^ump_[0-9A-Za-z]{36}$/.test(text),
);

const wrongDatabaseUrl = (value: unknown): WrongDatabaseUrl | null => {
  if (typeof value !== 'string') return NO_DATABASE_URL;
  const read = value === 'embedded:memory' ? null : readDatabaseUrl(value);
  return read instanceof WrongDatabaseUrl ? read : null;
};

export const IsDatabaseUrl = rule(
  (value) => (wrongDatabaseUrl(value) ?? NO_DATABASE_URL).must,
  (value) => wrongDatabaseUrl(value) === null,
);

const MAX_PUBLIC_URL = 255;

export const IsContact = textRule(
  'must be one address such as mailto:security@example.com or https://example.com/security',
  (text) => /^(mailto:|https:\/\/|tel:)[\x21-\x7e]{1,240}$/.test(text),
);
/** Only characters that no email, chat, or shell treats as markup or as the end of a URL. */
const PLAIN_PATH = /^[\w.~%/-]*$/;

export const IsPublicUrl = textRule(
  'must be an http(s) URL such as https://uptime.example.com/monitor: no user name, no query, no fragment, a path of letters, digits and - . _ ~ only',
  (text) => {
    const url = readUrl(text);
    if (url === null || text.length > MAX_PUBLIC_URL || !/^https?:$/.test(url.protocol)) return false;
    return url.username === '' && url.password === '' && !/[?#]/.test(text) && PLAIN_PATH.test(url.pathname);
  },
);

/** Returns the normalized URL without a trailing slash, ready for appending a path. */
export const publicBaseOf = (text: string): string => (readUrl(text)?.href ?? text).replace(/(?<!\/)\/+$/, '');

/** A proxy URL may contain a host, user, and password, but nothing after them. */
export const IsProxyUrl = textRule(
  'must be the address of a proxy, such as http://user:password@proxy.example.com:3128',
  (text) => {
    const url = readUrl(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && !/[?#\s]/.test(text);
  },
);

const MAX_URL = 2084;
const URL_PARTS = /^([a-z]+):\/\/(?:[^\s<>/?#\\]+@)?(\[.+\]|[^\s<>/?#\\@:[\]]+)(?::\d*)?(?:[/?#][^\s<>]*)?$/i;
const LABEL = /^(?!-)[\p{L}\p{M}\p{N}_-]{1,63}(?<!-)$/u;

/** `10.0.1` is neither a hostname nor an IP address, although browsers read it as 10.0.0.1. */
const isHostName = (host: string): boolean =>
  host.split('.').every((label) => LABEL.test(label)) && (isIPv4(host) || !/(^|\.)\d+$/.test(host));

/** `must` describes a URL with one of the schemes. */
const urlOf = (must: string, schemes: RegExp): PropertyDecorator =>
  textRule(must, (text) => {
    const [, scheme = '', host = ''] = URL_PARTS.exec(text) ?? [];
    if (text.length > MAX_URL || !schemes.test(scheme) || !(host.startsWith('[') || isHostName(host))) return false;
    const url = readUrl(text);
    return url !== null && url.port !== '0';
  });

export const IsHttpUrl = urlOf('must be an http(s) URL', /^https?$/i);
export const IsSmtpUrl = urlOf('must be an smtp:// or smtps:// URL', /^smtps?$/i);

/** The client decodes the username and password only when it first uses the URL, long after startup. */
export const HasEncodedCredentials = textRule(
  'must have its user name and password percent-encoded: write a % in them as %25',
  (text) => {
    const { username = '', password = '' } = readUrl(text) ?? {};
    return parses(() => decodeURIComponent(username + password));
  },
);

export const IsSender = textRule(
  'must be one address, such as Uptime <uptime@example.com>',
  (text) => parseSender(text) !== null,
);

export const IsDomainName = textRule(
  'must be a host name with a domain, such as uptime.example.com',
  (text) => text.length <= 253 && text.includes('.') && isHostName(text) && !isIPv4(text),
);

export const IsCidr = textRule('must be networks such as 10.0.0.0/8, separated by commas', (text) =>
  parses(() => ipaddr.parseCIDR(text)),
);

export const IsNotEverybody = textRule(
  'must be the networks of your proxies: a network of all addresses would allow anyone to forge an address',
  (text) => !/\/0+$/.test(text) && !hasAllOfIpv4(text),
);

const MAPPED_BITS = 96;

/** Returns whether an IPv6 network contains all IPv4 addresses, such as `::ffff:0:0/96`. */
function hasAllOfIpv4(text: string): boolean {
  if (!parses(() => ipaddr.parseCIDR(text))) return false;
  const [address, bits] = ipaddr.parseCIDR(text);
  return address.kind() === 'ipv6' && bits <= MAPPED_BITS && ipaddr.parse('::ffff:0:0').match([address, bits]);
}

export const IsHeaderName = textRule(
  'must be the name of a header that your proxy sets, such as Remote-User',
  (text) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text) && !OWN_HEADERS.has(text.toLowerCase()),
);

/** Headers that have a different meaning in this service. */
const OWN_HEADERS = new Set(
  'authorization cookie content-type forwarded host idempotency-key if-match origin user-agent x-api-key x-forwarded-for x-organization'.split(
    ' ',
  ),
);

export const IsHostPort = textRule(
  'must be pairs of host:port such as 1.1.1.1:443, separated by commas',
  (text) =>
    /^(\[[0-9a-fA-F:]+\]|[^\s:[\]/]+):\d{1,5}$/.test(text) && Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535,
);

export const IsSecretsKey = textRule(
  'must be pairs of id:key, the key being 32 bytes in base64 (openssl rand -base64 32), separated by commas',
  (text) => /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/.test(text),
);

/** Hostnames of the local machine. Others can't read plain HTTP that is sent to them. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const IsIssuer = textRule(
  'must be the https URL of a provider, such as https://login.example.com/realms/main, with http on this machine only: no user name, no query, no fragment',
  (text) => {
    const url = readUrl(text);
    if (url === null || text.length > MAX_PUBLIC_URL || /[?#\s]/.test(text)) return false;
    if (url.username !== '' || url.password !== '') return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  },
);

export const IsScopes = textRule(
  'must be scopes separated by spaces, openid among them',
  (text) => /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) && text.split(' ').includes('openid'),
);

/** A rule in the form `group=organization:role` or `group=operator`. The group may end with `*`. */
export const GROUP_RULE =
  /^(?<group>[^=*]*)(?<star>\*?)(?<!^)=(?:(?<operator>operator)|(?<organization>.+):(?<role>read|responder|write|admin))$/u;

export const IsGroupRule = textRule(
  'must be rules such as ops=Default:admin, shop-*=Shop:write or root=operator, separated by commas',
  (text) => GROUP_RULE.test(text),
);
