import type { Application, Request } from 'express';
import { readUrl } from '../text/read-url';

/** The Express setting that stores whether the service is hosted below a path of its host. */
const BELOW_A_PATH = 'below a path';

/** Returns the path of `PUBLIC_URL` without a trailing slash. Empty at the root of a host and without `PUBLIC_URL`. */
export const publicPathOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : (readUrl(publicUrl)?.pathname ?? '').replace(/(?<!\/)\/+$/, '');

/** Stores whether a proxy strips a path prefix from requests, as shown by the path of `PUBLIC_URL`. */
export function setPublicPath(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(BELOW_A_PATH, publicPathOf(publicUrl) !== '');
}

/**
 * Returns the prefix for each URL path in a response. It is empty at the root of a host. Below a path it is relative
 * (`..`, `../..`), from the URL of the request up to the root of the service. So it works both through the proxy, which
 * strips the prefix, and without it.
 */
export function rootFor({ app, originalUrl }: Pick<Request, 'app' | 'originalUrl'>): string {
  return app.get(BELOW_A_PATH) === true ? rootAbove(originalUrl) : '';
}

/** Returns the relative path from a path up to the root of the service: `.` for `/docs`, `..` for `/status/shop`. */
export function rootAbove(path: string): string {
  const [asked = ''] = path.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const above = asked.split('/').length - 2;
  return above > 0 ? Array.from({ length: above }, () => '..').join('/') : '.';
}
