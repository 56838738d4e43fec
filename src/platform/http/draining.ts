import type { RequestHandler } from 'express';
import type { Health } from '../observability/health';
import { problems } from '../problem/problem';

/**
 * API answers are never cached. While shutting down, clients are told to open no further request on this connection (an
 * idle one would be reset under their hands), and API requests are sent elsewhere.
 */
export const refuseWhileDraining =
  (health: Health): RequestHandler =>
  (request, response, next) => {
    if (health.draining) response.setHeader('Connection', 'close');
    if (!request.path.startsWith('/api/')) return next();
    response.setHeader('Cache-Control', 'no-store');
    return health.draining ? next(problems.shuttingDown()) : next();
  };
