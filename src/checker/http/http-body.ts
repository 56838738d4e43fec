import { promisify, TextDecoder } from 'node:util';
import zlib from 'node:zlib';
import type { BodyMemory } from '../../platform/net/http/body-budget';
import type { Pause } from './judging-turns';

/** The maximum number of bytes to read from a body, and also the maximum size after decompression. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The number of bytes to decode in one piece. This takes at most 4 ms for any content. */
const PIECE = 128 * 1024;

/** The maximum number of stacked content codings to decode. */
const MAX_CODINGS = 3;

const LIMITS = { maxOutputLength: MAX_BODY_BYTES };
/** A body that was truncated at the limit has no proper end. Decompress as much of it as possible. */
const CUT_ZLIB = { ...LIMITS, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const CUT_BROTLI = { ...LIMITS, finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

type Inflater = (data: Buffer) => Promise<Buffer>;

const gunzip: Inflater = (data) => promisify<Buffer, object, Buffer>(zlib.gunzip)(data, CUT_ZLIB);
const inflate: Inflater = (data) => promisify<Buffer, object, Buffer>(zlib.inflate)(data, CUT_ZLIB);
const inflateRaw: Inflater = (data) => promisify<Buffer, object, Buffer>(zlib.inflateRaw)(data, CUT_ZLIB);
const brotli: Inflater = (data) => promisify<Buffer, object, Buffer>(zlib.brotliDecompress)(data, CUT_BROTLI);

/** Under this name, some servers send raw deflate data (without the zlib header) or gzip. Browsers accept all three. */
const deflate: Inflater = (data) => {
  const [first = 0, second = 0] = data;
  if (first === 0x1f && second === 0x8b) return gunzip(data);
  const hasHeader = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
  return hasHeader
    ? inflate(data).catch((error: unknown) => (isTooLarge(error) ? Promise.reject(error) : inflateRaw(data)))
    : inflateRaw(data);
};

/** The registered codings (IANA, "HTTP Content Coding Registry"), or `null` for those that are not supported. */
const CODINGS: Readonly<Record<string, Inflater | null>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate,
  br: brotli,
  aes128gcm: null,
  compress: null,
  'x-compress': null,
  dcb: null,
  dcz: null,
  exi: null,
  'pack200-gzip': null,
  zstd: null,
};

/** The reason why a body cannot be read. The message is the end of a sentence. */
export class UnreadableBody extends Error {}

/**
 * Returns the decompressed body if the server compressed it although the request did not ask for that. Returns `null`
 * if memory is scarce. Ignores unregistered codings, such as a misplaced charset. Throws: `UnreadableBody` for an
 * unsupported coding, corrupt data, or a result larger than `MAX_BODY_BYTES`.
 */
export async function inflated(raw: Buffer, contentEncoding: string, memory: BodyMemory): Promise<Buffer | null> {
  if (contentEncoding === '') return raw;
  const codings = codingsOf(contentEncoding);
  let data = raw;
  for (const coding of codings.toReversed()) {
    if (data.length === 0) return data;
    const inflater = CODINGS[coding] ?? null;
    if (inflater === null || codings.length > MAX_CODINGS) {
      throw new UnreadableBody(`uses an unsupported compression (${shown(codings)})`);
    }
    if (!memory.take(MAX_BODY_BYTES)) return null;
    data = await undone(data, inflater);
  }
  return data;
}

/** Returns the codings in the order in which the server applied them (RFC 9110, section 8.4). */
const codingsOf = (contentEncoding: string): string[] =>
  contentEncoding
    .split(',')
    .map((member) => member.split(';', 1)[0]?.trim().toLowerCase() ?? '')
    .filter((member) => Object.hasOwn(CODINGS, member));

const shown = (codings: readonly string[]): string => codings.slice(0, MAX_CODINGS + 1).join(', ');

async function undone(data: Buffer, inflater: Inflater): Promise<Buffer> {
  try {
    return await inflater(data);
  } catch (error) {
    throw new UnreadableBody(
      isTooLarge(error) ? 'decompresses to more than 1 MiB' : 'is damaged: it cannot be decompressed',
    );
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** Decodes a body by its byte order mark, or else by its declared charset. An unknown charset is read as UTF-8. */
export function textOf(data: Buffer, contentType: string): string {
  const decoder = decoderOf(data, contentType);
  return decoder ? decoder.decode(data) : data.toString('utf8');
}

/** Works like `textOf`, but in pieces. */
export async function textInPieces(data: Buffer, contentType: string, pause: Pause): Promise<string> {
  if (data.length <= PIECE) return textOf(data, contentType);
  const decoder = decoderOf(data, contentType) ?? new TextDecoder();
  let text = '';
  for (let at = 0; at < data.length; at += PIECE) {
    if (at > 0) await pause();
    text += decoder.decode(data.subarray(at, at + PIECE), { stream: at + PIECE < data.length });
  }
  return text;
}

/**
 * Returns `null` for UTF-8 without a byte order mark, which Node decodes in half the time. A decoder removes the mark.
 */
function decoderOf(data: Buffer, contentType: string): TextDecoder | null {
  const marked = charsetOfMark(data);
  if (marked !== null) return new TextDecoder(marked);
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') return null;
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}

/** A byte order mark takes precedence over the header (WHATWG Encoding, "decode"). */
function charsetOfMark([first, second, third]: Buffer): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : null;
}
