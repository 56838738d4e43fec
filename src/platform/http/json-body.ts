import { isUtf8 } from 'node:buffer';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { raw } from 'express';
import { Problem } from '../problem/problem';

/** Largest body that the API reads, in bytes. */
export const MAX_BODY_BYTES = 128 * 1024;
const MAX_DEPTH = 32;
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** True when the request announces a body. */
export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';

function tooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.values(value).some((item) => tooDeep(item, depth + 1));
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Problem('invalid_encoding', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('malformed_json', 'The body is not one valid JSON text.');
  }
  if (tooDeep(value, 0)) throw new Problem('malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  return value;
}

const readBytes = raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });

/** Reads JSON bodies in UTF-8 and nothing else, unless `formBody` was there before: other types are 415, which also keeps forms of other sites out. */
export const jsonBody: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  if (!BODY_METHODS.has(request.method) || !hasBody(request) || request.body !== undefined) return next();
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    return next(new Problem('unsupported_media_type', 'Send the body as "Content-Type: application/json" in UTF-8.'));
  }
  if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity') {
    return next(new Problem('unsupported_media_type', 'Send the body without Content-Encoding.'));
  }
  return readBytes(request, response, (error?: unknown) => {
    if (error) return next(bodyProblem(error, MAX_BODY_BYTES));
    try {
      request.body = Buffer.isBuffer(request.body) && request.body.length > 0 ? parse(request.body) : undefined;
    } catch (problem) {
      return next(problem);
    }
    return next();
  });
};

/** The problem of a body that could not be read; `maxBytes` is what it may have. What is none of a body stays as it is. */
export function bodyProblem(error: unknown, maxBytes: number): unknown {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : null;
  if (type === 'entity.too.large')
    return new Problem('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
  if (type === 'request.size.invalid' || type === 'request.aborted')
    return new Problem('bad_request', 'The body is shorter than announced.');
  return error;
}
