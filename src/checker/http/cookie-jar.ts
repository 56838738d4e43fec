import { isIP } from 'node:net';
import type { HttpTarget } from './http-target';

/** A cookie that a server has set (RFC 6265, section 5.3). */
interface Cookie {
  name: string;
  value: string;
  domain: string;
  /** True if the cookie is sent only to exactly this host, not to its subdomains. */
  hostOnly: boolean;
  path: string;
  secure: boolean;
  /** Milliseconds since the epoch. */
  endsAt: number;
}

/** The minimum that browsers must support (RFC 6265, section 6.1). One check has at most six responses. */
const MAX_COOKIES = 50;
const MAX_COOKIE_BYTES = 4096;
const MAX_SENT_BYTES = 16 * 1024;

// oxlint-disable-next-line no-control-regex -- a cookie with one is refused.
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * The cookies of one check (RFC 6265, sections 5.2 to 5.4). Cookies that are set during redirects are sent to the
 * matching hosts, as in a browser. The jar exists only during that check, so it needs no public suffix list. A server
 * could only pass on data that it could also put into the redirect URL.
 */
export class CookieJar {
  private cookies: Cookie[] = [];

  /**
   * Stores the valid cookies that a server has set, and ignores the rest. `nowMs` is in milliseconds since the epoch.
   */
  take(setCookies: readonly string[], from: HttpTarget, nowMs: number): void {
    for (const text of setCookies) {
      const cookie = parseCookie(text, from, nowMs);
      if (cookie) this.keep(cookie);
    }
  }

  /**
   * Returns the `Cookie` header of the next request, including the endpoint's own cookies, or `null` if there are none.
   * If a server has set or removed a cookie, this replaces the endpoint's own cookie with the same name.
   */
  headerFor(to: HttpTarget, own: string | null, nowMs: number): string | null {
    const kept = this.cookies.filter((cookie) => belongsTo(cookie, to));
    const known = new Set(kept.map(({ name }) => name));
    const ownPairs = (own ?? '').split(';').filter((pair) => !known.has(nameOf(pair)));
    const live = kept.filter(({ endsAt }) => endsAt > nowMs);
    const pairs = [...ownPairs.map((pair) => pair.trim()), ...live.map(({ name, value }) => `${name}=${value}`)];
    let header = '';
    for (const pair of pairs.filter((one) => one !== '')) {
      const longer = header === '' ? pair : `${header}; ${pair}`;
      if (longer.length <= MAX_SENT_BYTES) header = longer;
    }
    return header === '' ? null : header;
  }

  /** Longer paths come first, then older cookies. An expired cookie is kept to mark the removal. */
  private keep(cookie: Cookie): void {
    const place = this.cookies.findIndex(
      ({ name, domain, path, hostOnly }) =>
        name === cookie.name && domain === cookie.domain && path === cookie.path && hostOnly === cookie.hostOnly,
    );
    if (place >= 0) this.cookies[place] = cookie;
    else if (this.cookies.length < MAX_COOKIES) this.cookies.push(cookie);
    this.cookies.sort((one, other) => other.path.length - one.path.length);
  }
}

const nameOf = (pair: string): string => pair.split('=', 1)[0]?.trim() ?? '';

function belongsTo(
  { domain, hostOnly, path, secure }: Cookie,
  { host, path: asked, secure: isSecure }: HttpTarget,
): boolean {
  return (hostOnly ? host === domain : isWithin(host, domain)) && isBelow(pathOf(asked), path) && (isSecure || !secure);
}

/** Implements RFC 6265, section 5.1.3. */
const isWithin = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && isIP(host) === 0);

/** Implements RFC 6265, section 5.1.4. */
const isBelow = (asked: string, path: string): boolean =>
  asked === path || (asked.startsWith(path) && (path.endsWith('/') || asked[path.length] === '/'));

const pathOf = (path: string): string => path.split('?', 1)[0] ?? '/';

/** Returns the directory of the request: the path up to its last slash. */
function defaultPath(target: HttpTarget): string {
  const path = pathOf(target.path);
  const end = path.lastIndexOf('/');
  return path.startsWith('/') && end > 0 ? path.slice(0, end) : '/';
}

function parseCookie(text: string, from: HttpTarget, nowMs: number): Cookie | null {
  if (text.length > MAX_COOKIE_BYTES || CONTROL.test(text)) return null;
  const [pair = '', ...attributes] = text.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, equals)).trim();
  if (name === '') return null;
  const given = new Map(attributes.map(attributeOf));
  const domain = domainFrom(given.get('domain') ?? '', from.host);
  if (domain === null) return null;
  const path = given.get('path') ?? '';
  return {
    name,
    value: pair.slice(equals + 1).trim(),
    domain: domain === '' ? from.host : domain,
    hostOnly: domain === '',
    path: path.startsWith('/') ? path : defaultPath(from),
    secure: given.has('secure'),
    endsAt: endOf(given.get('max-age'), given.get('expires'), nowMs),
  };
}

/** If a name occurs more than once, the last attribute counts. */
function attributeOf(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 0) return [text.trim().toLowerCase(), ''];
  return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).trim()];
}

/**
 * Returns an empty string for exactly this host. Returns `null` if the cookie isn't for this host, or is for a whole
 * top-level domain.
 */
function domainFrom(value: string, host: string): string | null {
  const domain = value.replace(/^\./, '').toLowerCase();
  if (domain === '') return '';
  if (domain === host) return isIP(host) === 0 ? domain : '';
  return isWithin(host, domain) && domain.includes('.') ? domain : null;
}

/** `Max-Age` takes precedence over `Expires`. If neither is valid, the cookie lasts until the check ends. */
function endOf(maxAge: string | undefined, expires: string | undefined, nowMs: number): number {
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) {
    return maxAge.startsWith('-') || Number(maxAge) === 0 ? -Infinity : nowMs + Number(maxAge) * 1000;
  }
  return (expires === undefined ? null : cookieDate(expires)) ?? Infinity;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Parses a date in any format that servers use (RFC 6265, section 5.1.1). Returns `null` if it isn't a date. */
export function cookieDate(text: string): number | null {
  let time: [number, number, number] | null = null;
  let day: number | null = null;
  let month: number | null = null;
  let year: number | null = null;
  for (const token of text.split(/[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/)) {
    const clock = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/.exec(token);
    if (time === null && clock) time = [Number(clock[1]), Number(clock[2]), Number(clock[3])];
    else if (day === null && /^\d{1,2}(?:\D|$)/.test(token)) day = Number.parseInt(token, 10);
    else if (month === null && MONTHS.includes(token.slice(0, 3).toLowerCase()))
      month = MONTHS.indexOf(token.slice(0, 3).toLowerCase());
    else if (year === null && /^\d{2,4}(?:\D|$)/.test(token)) year = fullYear(Number.parseInt(token, 10));
  }
  if (time === null || day === null || month === null || year === null) return null;
  const [hour, minute, second] = time;
  if (day < 1 || day > 31 || year < 1601 || hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(Date.UTC(year, month, day, hour, minute, second));
  return date.getUTCDate() === day ? date.getTime() : null;
}

function fullYear(year: number): number {
  if (year >= 70 && year <= 99) return year + 1900;
  return year < 70 ? year + 2000 : year;
}
