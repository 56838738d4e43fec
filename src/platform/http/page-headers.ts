import type { Request, Response } from 'express';
import type { Page } from './page';

/** The count and the link to the next page as headers, so that the body of a page can be a bare array. */
export function writePageHeaders(
  page: Pick<Page<unknown>, 'total' | 'nextCursor'>,
  request: Request,
  response: Response,
): void {
  if (page.total !== null) response.setHeader('X-Total-Count', String(page.total));
  if (page.nextCursor === null) return;
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', page.nextCursor);
  response.setHeader('Link', `<${url.pathname}${url.search}>; rel="next"`);
  response.setHeader('X-Next-Cursor', page.nextCursor);
}
