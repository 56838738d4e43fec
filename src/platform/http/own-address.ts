import type { Application, Request } from 'express';
import { readUrl } from '../text/read-url';

/** Where Express keeps whether the service is hosted below a path of its host. */
const BELOW_A_PATH = 'below a path';

/** The path of `PUBLIC_URL`, without a slash at its end: empty at the root of a host, and without `PUBLIC_URL`. */
export const publicPathOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : (readUrl(publicUrl)?.pathname ?? '').replace(/(?<!\/)\/+$/, '');

/** Tells the application whether a proxy takes a path off its requests, which `PUBLIC_URL` then has. */
export function setPublicPath(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(BELOW_A_PATH, publicPathOf(publicUrl) !== '');
}

/**
 * What stands before the path of each address in a response: nothing at the root of a host. Below a path it leads from the
 * address of the request up to where the service begins (`..`, `../..`), so it is right for those who came through the
 * proxy, which takes the path off, and for those who came without it.
 */
export function rootFor({ app, originalUrl }: Pick<Request, 'app' | 'originalUrl'>): string {
  return app.get(BELOW_A_PATH) === true ? rootAbove(originalUrl) : '';
}

/** From a path of the service to where the service begins: `.` for `/docs`, `..` for `/status/shop`. */
export function rootAbove(path: string): string {
  const [asked = ''] = path.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const above = asked.split('/').length - 2;
  return above > 0 ? Array.from({ length: above }, () => '..').join('/') : '.';
}
