import type { RequestHandler } from 'express';
import type { Health } from '../observability/health';
import { problems } from '../problem/problem';

/**
 * API responses are never cached. During shutdown `Connection: close` keeps clients from sending another request on a
 * connection that is about to be reset, and API requests get 503, so that a load balancer sends them elsewhere.
 */
export const refuseWhileDraining =
  (health: Health): RequestHandler =>
  (request, response, next) => {
    if (health.draining) response.setHeader('Connection', 'close');
    if (!request.path.startsWith('/api/')) return next();
    response.setHeader('Cache-Control', 'no-store');
    return health.draining ? next(problems.shuttingDown()) : next();
  };
