import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { newUuid } from '../ids/id';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,64}$/;
const REQUEST_ID = Symbol('http:request-id');
/** The prefix in the audit log for IDs that clients chose. IDs themselves can't contain a colon. */
const CHOSEN = 'client:';
const MAX_RECORDED = 64;

interface RequestId {
  id: string;
  isChosen: boolean;
}
type IdentifiedRequest = Request & { [REQUEST_ID]?: RequestId };

/**
 * Assigns an ID to every request and returns it in the response. Uses the client's `X-Request-Id` if it is well formed.
 */
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
 * Returns the ID for the audit log, at most 64 characters. IDs that the client chose are marked, so that an entry can't
 * pretend to belong to another request.
 */
export function recordedRequestId(request: Request): string {
  const known = (request as IdentifiedRequest)[REQUEST_ID];
  return known?.isChosen ? `${CHOSEN}${known.id}`.slice(0, MAX_RECORDED) : (known?.id ?? newUuid());
}
