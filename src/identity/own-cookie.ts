import type { Application, Request } from 'express';
import { publicPathOf } from '../platform/http/own-address';

/** The Express setting that stores the suffix of cookie names. */
const NAME_END = 'end of cookie names';

/**
 * Stores where the application is hosted. Two installations under different paths on one host must not use each other's
 * cookies.
 */
export function setCookieScope(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(NAME_END, publicPathOf(publicUrl).replace(/[^A-Za-z0-9]+/g, '_'));
}

/**
 * Returns the full name of a cookie. Over https, the name has a prefix. Browsers then reject the cookie if another host
 * sets it or if it is set over http. The prefix requires `Path=/`, so the name contains the path if the service is
 * hosted under one. Over plain http, browsers reject `Secure` cookies.
 */
export const cookieName = (name: string, { app }: Pick<Request, 'app'>, secure: boolean): string =>
  `${secure ? '__Host-' : ''}${name}${String(app.get(NAME_END) ?? '')}`;

/** Returns the value of a cookie if it matches this regular expression, otherwise `null`. */
export const cookieValue = (cookies: string, name: string, form: string): string | null =>
  new RegExp(`(?:^|;\\s*)${name}=(${form})(?:;|$)`).exec(cookies)?.[1] ?? null;
