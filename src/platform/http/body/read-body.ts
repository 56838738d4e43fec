import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { SetMetadata } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import type { AuthenticatedRequest } from '../../access/caller';
import { Problem } from '../../problem/problem';
import { withoutMark } from '../../text/bytes-as-text';

/** The default maximum size of a body in bytes. */
export const MAX_BODY_BYTES = 128 * 1024;
/** The maximum size of a body in bytes on a route that needs no key. */
export const MAX_PUBLIC_BODY_BYTES = 4 * 1024;

/**
 * Reads a request's body after the caller was identified and allowed to use the route. Throws a problem if the body is
 * rejected.
 */
export type ReadBody = (request: AuthenticatedRequest, response: Response) => Promise<unknown>;
export const READ_BODY = Symbol('http:read-body');

/** Sets the reader for a route that accepts anything other than small JSON. */
export const BodyReadBy = (read: ReadBody): MethodDecorator => SetMetadata(READ_BODY, read);

/** Returns true if the request declares a body. */
export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';

type ReadBytes = (request: Request, response: Response) => Promise<Buffer>;

/** Returns a reader for whole bodies of up to `maxBytes`. Throws `payload_too_large` as soon as more bytes arrive. */
export function bytesReader(maxBytes: number): ReadBytes {
  const read = sentBytesReader(maxBytes);
  return (request, response) => {
    if (encodingOf(request) !== 'identity')
      throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding.');
    return read(request, response);
  };
}

const encodingOf = ({ headers }: Request): string => headers['content-encoding']?.toLowerCase() ?? 'identity';

/** Returns a reader for the bytes as sent, without decoding them. */
function sentBytesReader(maxBytes: number): ReadBytes {
  const readBytes = raw({ type: () => true, limit: maxBytes, inflate: false });
  return (request, response) => {
    // The parser rejects any other encoding by name.
    delete request.headers['content-encoding'];
    return new Promise((resolve, reject) => {
      readBytes(request, response, (error?: unknown) => {
        if (error) reject(bodyProblem(error, maxBytes));
        else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      });
    });
  };
}

/** Error types for a body that was cut off because the client disconnected. */
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
  const text = withoutMark(bytes.toString('utf8'));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('malformed_json', 'The body is not a single valid JSON value.');
  }
  if (tooDeep(value, 0)) throw new Problem('malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  return value;
}

/** Returns a reader for JSON in UTF-8. Other types get 415, which also blocks forms on other sites. */
export const jsonReader = (maxBytes: number): ReadBody => readerOf(bytesReader(maxBytes));

function readerOf(read: ReadBytes): ReadBody {
  return async (request: Request, response) => {
    if (!hasBody(request)) return undefined;
    if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
      throw new Problem('unsupported_media_type', 'Send the body as "Content-Type: application/json" in UTF-8.');
    const bytes = await read(request, response);
    return bytes.length > 0 ? parse(bytes) : undefined;
  };
}

const unpacked = promisify(gunzip) as (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/**
 * Limits for a body that may be compressed: its size as sent, its decompressed size, and the approximate number of
 * values in it.
 */
export interface PackedLimits {
  sent: number;
  unpacked: number;
  values: number;
}

/**
 * Accepts JSON, optionally with `Content-Encoding: gzip`. A body that exceeds the limits is rejected before it is
 * parsed.
 */
export function PackedJsonBody(limits: PackedLimits): MethodDecorator {
  const read = sentBytesReader(limits.sent);
  return BodyReadBy(
    readerOf(async (request, response) => {
      const encoding = encodingOf(request);
      if (encoding !== 'identity' && encoding !== 'gzip')
        throw new Problem('unsupported_media_type', 'Send the body without encoding, or with Content-Encoding: gzip.');
      const sent = await read(request, response);
      const bytes = encoding === 'gzip' && sent.length > 0 ? await unpack(sent, limits.unpacked) : sent;
      if (valuesIn(bytes, limits.values) > limits.values)
        throw new Problem('payload_too_large', `The body may have at most about ${limits.values} values.`);
      return bytes;
    }),
  );
}

async function unpack(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await unpacked(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Problem('payload_too_large', `The decompressed body may have at most ${maxBytes} bytes.`);
    throw new Problem('malformed_json', 'The body is not valid gzip.');
  }
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/** Returns an upper bound for the number of values. Stops counting above `most`. */
function valuesIn(bytes: Buffer, most: number): number {
  let count = 1;
  for (let i = 0; i < bytes.length && count <= most; i++) {
    const byte = bytes[i];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) count++;
  }
  return count;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Accepts a form from the service's own pages, which is parsed into an object of strings, or the same fields as JSON.
 * `maxBytes` includes percent-encoding.
 */
export function FormBody(maxBytes: number): MethodDecorator {
  const [read, readJson] = [bytesReader(maxBytes), jsonReader(maxBytes)];
  return BodyReadBy(async (request, response) => {
    if (!hasBody(request) || !FORM_TYPE.test(request.headers['content-type'] ?? '')) return readJson(request, response);
    const bytes = await read(request, response);
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  });
}
