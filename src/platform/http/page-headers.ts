import type { Request, Response } from 'express';
import type { Page } from './page';

/** Tells the rest of a page by headers, so that its body can be a bare array: the count, and the way to the next page. */
export function writePageHeaders(page: Page<unknown>, request: Request, response: Response): void {
  if (page.total !== null) response.setHeader('X-Total-Count', String(page.total));
  if (page.nextCursor === null) return;
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', page.nextCursor);
  response.setHeader('Link', `<${url.pathname}${url.search}>; rel="next"`);
  response.setHeader('X-Next-Cursor', page.nextCursor);
}
