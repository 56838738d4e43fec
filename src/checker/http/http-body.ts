import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib';
import type { AssertionFacts } from '../assertion/assertion-evaluator';

/** The most that is read of a body, and the most it may inflate to. */
export const MAX_BODY_BYTES = 1024 * 1024;

const LIMITS = { maxOutputLength: MAX_BODY_BYTES };
/** A body that was cut at the limit has no proper end; what can be inflated of it is used. */
const CUT_ZLIB = { ...LIMITS, finishFlush: constants.Z_SYNC_FLUSH };
const CUT_BROTLI = { ...LIMITS, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const DECODERS: Record<string, (data: Buffer) => Promise<Buffer>> = {
  identity: async (data) => data,
  '': async (data) => data,
  gzip: (data) => promisify<Buffer, object, Buffer>(gunzip)(data, CUT_ZLIB),
  'x-gzip': (data) => promisify<Buffer, object, Buffer>(gunzip)(data, CUT_ZLIB),
  deflate: (data) => promisify<Buffer, object, Buffer>(inflate)(data, CUT_ZLIB),
  br: (data) => promisify<Buffer, object, Buffer>(brotliDecompress)(data, CUT_BROTLI),
};

/** Why a body cannot be read; the message is the end of a sentence. */
export class UnreadableBody extends Error {}

/**
 * The text of a body, inflated when the server compressed it although the request did not ask for that. Throws `UnreadableBody` for an
 * unknown or stacked encoding, damaged data, or more than `MAX_BODY_BYTES` of it.
 */
export async function readBody(
  raw: Buffer,
  complete: boolean,
  contentEncoding: string,
  contentType: string,
): Promise<NonNullable<AssertionFacts['body']>> {
  const decode = DECODERS[contentEncoding.trim().toLowerCase()];
  if (!decode) throw new UnreadableBody('is compressed in a way that is not supported');
  try {
    return { text: textOf(raw.length === 0 ? raw : await decode(raw), contentType), complete };
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new UnreadableBody(tooLarge ? 'inflates to more than 1 MiB' : 'is damaged: it cannot be decompressed');
  }
}

function textOf(data: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') return data.toString('utf8');
  try {
    return new TextDecoder(charset).decode(data);
  } catch {
    return data.toString('utf8');
  }
}
