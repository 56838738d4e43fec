import { SetMetadata } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import type { AuthenticatedRequest } from '../../access/caller';
import { Problem } from '../../problem/problem';

/** Largest body of a route that does not say otherwise, in bytes. */
export const MAX_BODY_BYTES = 128 * 1024;
/** The same of a route without a key. */
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
