import type { Application, Request } from 'express';
import { readUrl } from '../text/read-url';

/** The Express setting that stores whether the service is hosted under a path on its host. */
const BELOW_A_PATH = 'below a path';

/**
 * Returns the path in `PUBLIC_URL` without a trailing slash. Empty if the service is hosted at the root or `PUBLIC_URL`
 * is not set.
 */
export const publicPathOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : (readUrl(publicUrl)?.pathname ?? '').replace(/(?<!\/)\/+$/, '');

/** Stores whether a proxy strips a path prefix from requests, which is the case if `PUBLIC_URL` contains a path. */
export function setPublicPath(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(BELOW_A_PATH, publicPathOf(publicUrl) !== '');
}

/**
 * Returns the prefix for each URL path in a response. At the root of a host, the prefix is empty. Under a path, it is a
 * relative path (`..`, `../..`) from the request's URL up to the service's root. This works both through the proxy,
 * which strips the path, and without it.
 */
export function rootFor({ app, originalUrl }: Pick<Request, 'app' | 'originalUrl'>): string {
  return app.get(BELOW_A_PATH) === true ? rootAbove(originalUrl) : '';
}

/**
 * Returns the relative path that leads from a path up to the service's root: `.` for `/docs`, `..` for `/status/shop`.
 */
export function rootAbove(path: string): string {
  const [asked = ''] = path.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const above = asked.split('/').length - 2;
  return above > 0 ? Array.from({ length: above }, () => '..').join('/') : '.';
}
