import type { Application, Request } from 'express';
import { publicPathOf } from '../platform/http/own-address';

/** Where Express keeps what ends the names of the cookies. */
const NAME_END = 'end of cookie names';

/** Tells the application where it is hosted: two installations below paths of one host must not take each other's cookies. */
export function setCookieScope(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(NAME_END, publicPathOf(publicUrl).replace(/[^A-Za-z0-9]+/g, '_'));
}

/**
 * Returns the name of a cookie. Over https the prefix makes browsers refuse it from another host or over http; it asks for
 * `Path=/`, so below a path the name has the path in it. Over plain http browsers reject `Secure` cookies.
 */
export const cookieName = (name: string, { app }: Pick<Request, 'app'>, secure: boolean): string =>
  `${secure ? '__Host-' : ''}${name}${String(app.get(NAME_END) ?? '')}`;

/** Returns the value of a cookie if it has this form, a regular expression; `null` otherwise. */
export const cookieValue = (cookies: string, name: string, form: string): string | null =>
  new RegExp(`(?:^|;\\s*)${name}=(${form})(?:;|$)`).exec(cookies)?.[1] ?? null;
