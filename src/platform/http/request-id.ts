import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { newUuid } from '../ids/id';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,64}$/;
const REQUEST_ID = Symbol('http:request-id');

/** Gives every request an id (the client's own `X-Request-Id` when it is well formed) and sends it back. */
export const requestId: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && WELL_FORMED.test(given) ? given : newUuid();
  Object.assign(request, { [REQUEST_ID]: id });
  response.setHeader('X-Request-Id', id);
  next();
};

export const requestIdOf = (request: Request): string =>
  (request as Request & { [REQUEST_ID]?: string })[REQUEST_ID] ?? newUuid();
