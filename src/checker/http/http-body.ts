import { promisify, TextDecoder } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib';
import type { BodyMemory } from '../../platform/net/http/body-budget';
import type { Pause } from './judging-turns';

/** The most that is read of a body, and the most it may inflate to. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Bytes of a text that are decoded in one piece: at most 4 ms, whatever they are. */
const PIECE = 128 * 1024;

const LIMITS = { maxOutputLength: MAX_BODY_BYTES };
/** A body that was cut at the limit has no proper end; what can be inflated of it is used. */
const CUT_ZLIB = { ...LIMITS, finishFlush: constants.Z_SYNC_FLUSH };
const CUT_BROTLI = { ...LIMITS, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** `null`: there is nothing to inflate. */
const INFLATERS: Record<string, ((data: Buffer) => Promise<Buffer>) | null> = {
  identity: null,
  '': null,
  gzip: (data) => promisify<Buffer, object, Buffer>(gunzip)(data, CUT_ZLIB),
  'x-gzip': (data) => promisify<Buffer, object, Buffer>(gunzip)(data, CUT_ZLIB),
  deflate: (data) => promisify<Buffer, object, Buffer>(inflate)(data, CUT_ZLIB),
  br: (data) => promisify<Buffer, object, Buffer>(brotliDecompress)(data, CUT_BROTLI),
};

/** Why a body cannot be read; the message is the end of a sentence. */
export class UnreadableBody extends Error {}

/**
 * A body, inflated when the server compressed it although the request did not ask for that; `null` when there is no memory to
 * do so. Throws `UnreadableBody` for an unknown or stacked encoding, damaged data, or more than `MAX_BODY_BYTES` of it.
 */
export async function inflated(raw: Buffer, contentEncoding: string, memory: BodyMemory): Promise<Buffer | null> {
  const encoding = contentEncoding.trim().toLowerCase();
  const inflater = Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding] : undefined;
  if (inflater === undefined) throw new UnreadableBody('is compressed in a way that is not supported');
  if (inflater === null || raw.length === 0) return raw;
  if (!memory.take(MAX_BODY_BYTES)) return null;
  try {
    return await inflater(raw);
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new UnreadableBody(tooLarge ? 'inflates to more than 1 MiB' : 'is damaged: it cannot be decompressed');
  }
}

/** The text of a body by the charset it says it has; of an unknown one as UTF-8. */
export function textOf(data: Buffer, contentType: string): string {
  const decoder = decoderOf(contentType);
  return decoder ? decoder.decode(data) : data.toString('utf8');
}

/** As `textOf`, in pieces. */
export async function textInPieces(data: Buffer, contentType: string, pause: Pause): Promise<string> {
  if (data.length <= PIECE) return textOf(data, contentType);
  const decoder = decoderOf(contentType) ?? new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for (let at = 0; at < data.length; at += PIECE) {
    if (at > 0) await pause();
    text += decoder.decode(data.subarray(at, at + PIECE), { stream: at + PIECE < data.length });
  }
  return text;
}

/** `null`: UTF-8. */
function decoderOf(contentType: string): TextDecoder | null {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') return null;
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
