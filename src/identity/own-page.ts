import type { Request } from 'express';
import type { Config } from '../platform/config/config';
import { Problem } from '../platform/problem/problem';
import { readUrl } from '../platform/text/read-url';
import { isOwnHost } from './local-host';
import { isFromElsewhere } from './same-origin';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * For AUTH=off, where the browser of everybody near is an administrator: refuses a Host that is not our own, which a
 * hostile page may have pointed at us, and changes that come from another site's page. Throws `origin_not_allowed`.
 */
export function requireOwnPage(request: Request, { allowedHosts, publicUrl }: Config): void {
  const { host } = request.headers;
  const published = publicUrl === null ? undefined : readUrl(publicUrl)?.host;
  const allowed = published === undefined ? allowedHosts : [...allowedHosts, published];
  if (!isOwnHost({ host, localAddress: request.socket.localAddress }, allowed)) {
    throw new Problem(
      'origin_not_allowed',
      'With AUTH=off the service is used as localhost, by its address, or by a name in PUBLIC_URL or ALLOWED_HOSTS.',
    );
  }
  if (!SAFE.has(request.method) && isFromElsewhere(request)) {
    throw new Problem('origin_not_allowed', 'With AUTH=off browsers must send changes from the dashboard itself.');
  }
}
