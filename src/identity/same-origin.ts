import type { Request } from 'express';
import { readUrl } from '../platform/text/read-url';

/** True when the browser says that the request comes from a page of this very service. Other clients do not say so. */
export function sameOrigin(request: Pick<Request, 'headers'>): boolean {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  return (
    typeof origin === 'string' &&
    host !== undefined &&
    readUrl(origin)?.host === host &&
    (site === undefined || site === 'same-origin')
  );
}
