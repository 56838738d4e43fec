import type { Request } from 'express';
import type { Config } from '../platform/config/config';
import { Problem } from '../platform/problem/problem';
import { isOwnHost } from './local-host';
import { isFromElsewhere } from './same-origin';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * For AUTH=off, where the browser of everybody near is an administrator: refuses a Host that is not our own, which a
 * hostile page may have pointed at us, and changes that come from another site's page. Throws `origin_not_allowed`.
 */
export function requireOwnPage(request: Request, { allowedHosts }: Config): void {
  const { host } = request.headers;
  if (!isOwnHost({ host, localAddress: request.socket.localAddress }, allowedHosts)) {
    throw new Problem(
      'origin_not_allowed',
      'With AUTH=off the service is used as localhost, by its address, or by a name in ALLOWED_HOSTS.',
    );
  }
  if (!SAFE.has(request.method) && isFromElsewhere(request)) {
    throw new Problem('origin_not_allowed', 'With AUTH=off browsers must send changes from the dashboard itself.');
  }
}
