import type { Account, OwnSession, Person, Role } from '../api/types';

/** The roles and their permissions, for a select. */
export const ROLES: readonly (readonly [Role, string])[] = [
  ['read', 'read: view only'],
  ['responder', 'responder: also acknowledge, comment, and mute'],
  ['write', 'write: also create, change, delete, and test'],
  ['admin', 'admin: also members, API keys, and the audit log'],
];

/** Returns a one-time link's URL. If the service doesn't know its own URL (`PUBLIC_URL`), this `page`'s URL is used. */
export const linkTo = ({ url, token }: { url: string | null; token: string }, page: string): string =>
  url ?? `${page}#/sign-in/${token}`;

/** Returns initials, such as `AL` for Ada Lovelace. Shown next to the full name. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s.@_-]+/).filter((word) => word !== '');
  const [first = ''] = words;
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  return [first, last].map((word) => [...word][0]?.toUpperCase() ?? '').join('');
}

/**
 * Describes how a user can sign in, such as `password, single sign-on`. Without either, they can only sign in with a
 * link.
 */
export const waysIn = ({
  has_password,
  second_factor,
  single_sign_on,
}: Pick<Person, 'has_password' | 'second_factor' | 'single_sign_on'>): string =>
  [has_password ? (second_factor ? 'password with code' : 'password') : '', single_sign_on ? 'single sign-on' : '']
    .filter((way) => way !== '')
    .join(', ') || 'a link only';

type Identity = Account['identities'][number];

/** Returns the provider's name as shown on a page. */
export const issuerName = ({ issuer }: Pick<Identity, 'issuer'>): string =>
  issuer === 'proxy' ? 'the reverse proxy' : issuer;

/** Returns the path that removes an identity from your account. */
export const identityPath = ({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string =>
  `/auth/account/identities?${new URLSearchParams({ issuer, subject }).toString()}`;

// The first match is used, because most browsers also name others.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Returns a name such as `Firefox on Linux`. An unknown browser is named by the first word of its user agent. */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser';
  const nameIn = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return userAgent.split(' ')[0]?.slice(0, 40) ?? userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

const VIA: Record<NonNullable<OwnSession['via']>, string> = {
  api_key: 'API key',
  sign_in_link: 'a link',
  password: 'password',
  invitation: 'an invitation',
  single_sign_on: 'single sign-on',
  proxy: 'the reverse proxy',
};

export const signedInBy = ({ via }: Pick<OwnSession, 'via'>): string => (via === null ? '–' : VIA[via]);
