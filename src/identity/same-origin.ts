import type { Request } from 'express';
import { readUrl } from '../platform/text/read-url';

/** True when the browser states that the request comes from a page of this service. Other clients send no `Origin`. */
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
