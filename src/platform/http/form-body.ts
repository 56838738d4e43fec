import { raw, type RequestHandler } from 'express';
import { bodyProblem, hasBody } from './json-body';

/** Largest form that is read, in bytes. */
const MAX_FORM_BYTES = 16 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const readBytes = raw({ type: () => true, limit: MAX_FORM_BYTES, inflate: false });

/**
 * Reads the forms of our own pages: the body becomes an object of texts. To be mounted on their paths only, before
 * `jsonBody`, which judges whatever is no form.
 */
export const formBody: RequestHandler = (request, response, next) => {
  const isForm = FORM_TYPE.test(request.headers['content-type'] ?? '');
  if (request.method !== 'POST' || !hasBody(request) || !isForm) return next();
  return readBytes(request, response, (error?: unknown) => {
    if (error) return next(bodyProblem(error, MAX_FORM_BYTES));
    const body: unknown = request.body;
    request.body = Object.fromEntries(new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : ''));
    return next();
  });
};
