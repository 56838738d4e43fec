import { isUtf8 } from 'node:buffer';
import { type Request } from 'express';
import { Problem } from '../../problem/problem';
import { bytesReader, hasBody, type ReadBody } from './read-body';

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
