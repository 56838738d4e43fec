import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { newUuid } from '../ids/id';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,64}$/;
const REQUEST_ID = Symbol('http:request-id');
/** What an id that the client chose begins with in the audit log; no id itself can have a colon. */
const CHOSEN = 'client:';
const MAX_RECORDED = 64;

interface RequestId {
  id: string;
  isChosen: boolean;
}
type IdentifiedRequest = Request & { [REQUEST_ID]?: RequestId };

/** Gives every request an id (the client's own `X-Request-Id` when it is well formed) and sends it back. */
export const requestId: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const given = request.headers['x-request-id'];
  const isChosen = typeof given === 'string' && WELL_FORMED.test(given);
  const id = isChosen ? given : newUuid();
  Object.assign(request, { [REQUEST_ID]: { id, isChosen } });
  response.setHeader('X-Request-Id', id);
  next();
};

export const requestIdOf = (request: Request): string => (request as IdentifiedRequest)[REQUEST_ID]?.id ?? newUuid();

/**
 * The id as the audit log records it, at most 64 characters: one that the client chose is marked, so that no entry looks
 * as if it were of another request.
 */
export function recordedRequestId(request: Request): string {
  const known = (request as IdentifiedRequest)[REQUEST_ID];
  return known?.isChosen ? `${CHOSEN}${known.id}`.slice(0, MAX_RECORDED) : (known?.id ?? newUuid());
}
