import { isUtf8 } from 'node:buffer';
import { SetMetadata } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import type { AuthenticatedRequest } from '../../access/caller';
import { Problem } from '../../problem/problem';

/** Largest body of a route that does not say otherwise, in bytes. */
export const MAX_BODY_BYTES = 128 * 1024;
/** Largest body of a route without a key, in bytes. */
export const MAX_PUBLIC_BODY_BYTES = 4 * 1024;

/** Reads the body of a request whose caller is known and may use the route. Throws the problem of one that is not taken. */
export type ReadBody = (request: AuthenticatedRequest, response: Response) => Promise<unknown>;
export const READ_BODY = Symbol('http:read-body');

/** For routes that take another body than small JSON. */
export const BodyReadBy = (read: ReadBody): MethodDecorator => SetMetadata(READ_BODY, read);

/** True when the request announces a body. */
export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';

/** Reads all of a body, `maxBytes` at most; as soon as there are more it throws `payload_too_large`. */
export function bytesReader(maxBytes: number): (request: Request, response: Response) => Promise<Buffer> {
  const readBytes = raw({ type: () => true, limit: maxBytes, inflate: false });
  return (request, response) => {
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding.');
    return new Promise((resolve, reject) => {
      readBytes(request, response, (error?: unknown) => {
        if (error) reject(bodyProblem(error, maxBytes));
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      });
    });
  };
}

/** What a client that has left leaves behind. */
const CUT_OFF: ReadonlySet<unknown> = new Set(['request.size.invalid', 'request.aborted', 'stream.not.readable']);

function bodyProblem(error: unknown, maxBytes: number): Error {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : null;
  if (type === 'entity.too.large')
    return new Problem('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
  if (CUT_OFF.has(type)) return new Problem('bad_request', 'The body is shorter than announced.');
  return error instanceof Error ? error : new Error('the body could not be read');
}

const MAX_DEPTH = 32;
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

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

/** Reads JSON bodies in UTF-8 and nothing else: other types are 415, which also keeps forms of other sites out. */
export function jsonReader(maxBytes: number): ReadBody {
  const read = bytesReader(maxBytes);
  return async (request: Request, response) => {
    if (!hasBody(request)) return undefined;
    if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
      throw new Problem('unsupported_media_type', 'Send the body as "Content-Type: application/json" in UTF-8.');
    const bytes = await read(request, response);
    return bytes.length > 0 ? parse(bytes) : undefined;
  };
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The body is a form of our own pages, which becomes an object of texts, or JSON that says the same. `maxBytes`: with all that is percent-encoded. */
export function FormBody(maxBytes: number): MethodDecorator {
  const [read, readJson] = [bytesReader(maxBytes), jsonReader(maxBytes)];
  return BodyReadBy(async (request, response) => {
    if (!hasBody(request) || !FORM_TYPE.test(request.headers['content-type'] ?? '')) return readJson(request, response);
    const bytes = await read(request, response);
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  });
}
