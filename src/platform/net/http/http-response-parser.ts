import type { BodyMemory } from './body-budget';
import { NOT_IN_VALUE, TOKEN } from './http-field';

/** Headers keyed by lowercase name. Repeated fields are joined with a comma (RFC 9110, section 5.3). */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** The error for bytes that aren't an HTTP/1.1 response. The message gives the reason without quoting the bytes. */
export class MalformedResponse extends Error {}

/** The error if there isn't enough memory for the body. */
export class NoBodyMemory extends Error {}

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_EXTENSION_BYTES = 16 * 1024;
const LF = 0x0a;

const PROTOCOL = 'HTTP/';
const STATUS_LINE = /^HTTP\/(?:0\.9|1\.[01]|2\.0) (\d{3})(?:[ \r][^]*)?$/;
/** Empty lines before a response, whole or partial, are ignored. */
const LEADING_CR = /^\r+/;
/**
 * Characters that could make other readers of the response see a different header. Some readers end a string at NUL, or
 * a line at a bare CR.
 */
const DANGEROUS = /[\0\r]/;
const FRAMING = new Set(['content-length', 'transfer-encoding']);
const NOT_IN_NAME = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]+/g;
/** Replaces the name of a field that is omitted. */
const LEFT_OUT = '';
const LENGTH = /^\d{1,15}$/;
const CHUNK_SIZE = /^0*([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/;
/**
 * If one of these fields is repeated, the first value applies, like in Node's `message.headers`. It makes no sense to
 * join them.
 */
const SINGLE = new Set(
  'age authorization content-length content-type etag expires last-modified location retry-after server'.split(' '),
);

const NONE: readonly string[] = [];

type State = 'status' | 'header' | 'length' | 'chunk_size' | 'chunk' | 'chunk_end' | 'trailer' | 'until_close' | 'done';

/** How much of a body is read and stored. */
export interface BodyRules {
  /**
   * True if the response has no body even if its headers declare one, because it is the response to a `HEAD` request.
   */
  absent: boolean;
  /** Reading stops after this many bytes. */
  maxBytes: number;
  /** Whether the bytes are returned or only counted. */
  keep: boolean;
  /** Reserves memory for stored bytes. If unset, `maxBytes` is the only limit. */
  memory?: BodyMemory | undefined;
}

/**
 * Parses one HTTP/1.1 response (RFC 9112) from a connection that contains nothing else. As strict as Node's parser,
 * with exceptions that the RFC allows and browsers make:
 * - A line may end without CR (2.2).
 * - A folded field is one field (5.2).
 * - The same length may be given twice (6.3).
 * - Bytes after the end are ignored.
 * - A field with an invalid name is omitted.
 * - A value may contain control characters (RFC 9110, section 5.5).
 *
 * Everything that determines where the body ends is parsed strictly. Time and memory are linear in the input: 64 KiB of
 * heads and interim responses, 16 KiB of chunk extensions, `maxBytes` of body.
 */
export class HttpResponseParser {
  /** 0 until the status line has been read. Interim responses (1xx) don't count. */
  status = 0;
  /** Complete once `headRead` is true. */
  headers: ResponseHeaders = {};
  /** The values of all `Set-Cookie` headers, which can't be parsed once joined. */
  setCookies: readonly string[] = NONE;
  headRead = false;
  /** True if the body was longer than `maxBytes`. */
  truncated = false;
  /**
   * The number of lines so far, in the head and between chunks. Lines take longer to parse than the bytes between them.
   */
  lines = 0;

  private state: State = 'status';
  private line = '';
  private headBytes = 0;
  private extensionBytes = 0;
  private fields: [name: string, value: string][] = [];
  /** The number of bytes left in the body or the chunk. */
  private remaining = 0;
  private bodyBytes = 0;
  private kept = Buffer.alloc(0);
  private keptBytes = 0;

  constructor(private readonly rules: BodyRules) {}

  get body(): Buffer {
    return this.kept.subarray(0, this.keptBytes);
  }

  /**
   * Reads the next bytes and returns whether the response is complete. Throws `MalformedResponse` and `NoBodyMemory`.
   * Don't use the parser after an error.
   */
  read(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length && this.state !== 'done';) {
      at = this.inBody() ? this.readBody(bytes, at) : this.readLine(bytes, at);
    }
    return this.state === 'done';
  }

  /** Records that the peer has closed its side. Returns whether this completes the response. */
  end(): boolean {
    if (this.state === 'until_close') this.state = 'done';
    return this.state === 'done';
  }

  private inBody(): boolean {
    return this.state === 'length' || this.state === 'chunk' || this.state === 'until_close';
  }

  private readBody(bytes: Buffer, from: number): number {
    const available = bytes.length - from;
    const taken = this.state === 'until_close' ? available : Math.min(available, this.remaining);
    if (this.rules.keep) this.keep(bytes, from, taken);
    this.bodyBytes += taken;
    this.remaining -= taken;
    if (this.bodyBytes > this.rules.maxBytes) {
      this.truncated = true;
      this.state = 'done';
    } else if (this.remaining === 0 && this.state !== 'until_close') {
      this.state = this.state === 'chunk' ? 'chunk_end' : 'done';
    }
    return from + taken;
  }

  /** Copies the bytes, so that a one-byte chunk doesn't keep a whole packet in memory. */
  private keep(bytes: Buffer, from: number, length: number): void {
    const end = Math.min(this.keptBytes + length, this.rules.maxBytes);
    if (end > this.kept.length) {
      const size = Math.min(this.rules.maxBytes, Math.max(4096, 2 * end));
      if (this.rules.memory?.take(size - this.kept.length) === false) throw new NoBodyMemory();
      const larger = Buffer.allocUnsafe(size);
      this.kept.copy(larger, 0, 0, this.keptBytes);
      this.kept = larger;
    }
    bytes.copy(this.kept, this.keptBytes, from, from + end - this.keptBytes);
    this.keptBytes = end;
  }

  private readLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(LF, from);
    const next = end < 0 ? bytes.length : end + 1;
    this.count(next - from);
    const undecided = this.state === 'status' && this.line.length < PROTOCOL.length;
    this.line += bytes.toString('latin1', from, end < 0 ? next : end);
    if (end < 0) {
      if (undecided) refuseOtherProtocol(this.line.replace(LEADING_CR, ''));
      return next;
    }
    this.lines += 1;
    const line = this.line.endsWith('\r') ? this.line.slice(0, -1) : this.line;
    this.line = '';
    this.take(line);
    return next;
  }

  private count(bytes: number): void {
    if (this.state === 'chunk_size' || this.state === 'chunk_end') {
      if (this.line.length + bytes > MAX_EXTENSION_BYTES) throw invalid('chunk extensions without end');
      return;
    }
    this.headBytes += bytes;
    if (this.headBytes > MAX_HEAD_BYTES) {
      throw new MalformedResponse(`the headers of the response are larger than ${MAX_HEAD_BYTES / 1024} KiB`);
    }
  }

  private take(line: string): void {
    switch (this.state) {
      case 'status':
        return this.takeStatus(line);
      case 'header':
        return line === '' ? this.endHead() : this.takeField(line);
      case 'chunk_size':
        return this.takeChunkSize(line);
      case 'chunk_end':
        if (line !== '') throw invalid('a chunk that is longer than its size');
        this.state = 'chunk_size';
        return;
      case 'trailer':
        if (line === '') this.state = 'done';
        else this.takeField(line);
        return;
      default:
        throw new Error(`no line is read in ${this.state}`);
    }
  }

  private takeStatus(line: string): void {
    const start = line.replace(LEADING_CR, '');
    if (start === '') return;
    refuseOtherProtocol(start);
    const status = STATUS_LINE.exec(start)?.[1];
    if (status === undefined) throw new MalformedResponse(OTHER_PROTOCOL);
    this.status = Number(status);
    this.state = 'header';
  }

  private takeField(line: string): void {
    if (DANGEROUS.test(line)) throw invalid('a control character in a header');
    const folded = line.startsWith(' ') || line.startsWith('\t');
    const last = this.fields.at(-1);
    if (folded && last) {
      last[1] = `${last[1]} ${trimmed(line)}`;
      return;
    }
    const colon = folded ? -1 : line.indexOf(':');
    if (colon < 0) throw invalid('a header without a colon');
    const name = line.slice(0, colon);
    this.fields.push([TOKEN.test(name) ? name.toLowerCase() : doubtfulName(name), trimmed(line.slice(colon + 1))]);
  }

  private endHead(): void {
    if (this.status === 101) throw new MalformedResponse('it switched to another protocol');
    if (this.status >= 100 && this.status < 200) {
      this.status = 0;
      this.fields = [];
      this.state = 'status';
      return;
    }
    this.headers = joined(this.fields);
    if (this.headers['set-cookie'] !== undefined) {
      this.setCookies = this.fields.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
    }
    this.state = this.bodyState();
    this.headRead = true;
    this.fields = [];
    this.headBytes = 0;
  }

  /**
   * Returns how the body is framed (RFC 9112, section 6.3). As in Node, it is an error if there is both a length and a
   * transfer coding, because one of them must be wrong.
   */
  private bodyState(): State {
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers;
    if (length !== undefined && coding !== undefined) throw invalid('a length and a transfer coding');
    if (length !== undefined && !LENGTH.test(length)) throw invalid('a content length that is not a number');
    if (coding !== undefined && NOT_IN_VALUE.test(coding)) throw invalid('a control character in a transfer coding');
    if (this.rules.absent || this.status === 204 || this.status === 304) return 'done';
    if (coding !== undefined) return /(?:^|[, \t])chunked$/i.test(coding) ? 'chunk_size' : 'until_close';
    if (length === undefined) return 'until_close';
    this.remaining = Number(length);
    return this.remaining === 0 ? 'done' : 'length';
  }

  private takeChunkSize(line: string): void {
    const digits = CHUNK_SIZE.exec(line)?.[1];
    if (digits === undefined || line.includes('\r')) throw invalid('a chunk size that is not a number');
    this.extensionBytes += Math.max(0, line.length - digits.length);
    if (this.extensionBytes > MAX_EXTENSION_BYTES) throw invalid('chunk extensions without end');
    this.remaining = Number.parseInt(digits, 16);
    this.state = this.remaining === 0 ? 'trailer' : 'chunk';
  }
}

const OTHER_PROTOCOL = 'the server does not support HTTP/1.1';
const invalid = (what: string): MalformedResponse => new MalformedResponse(`the response is not valid HTTP (${what})`);

/** Returns the name of an invalid field. Removes spaces before the colon if the name is then valid. */
function doubtfulName(name: string): string {
  if (FRAMING.has(name.replace(NOT_IN_NAME, '').toLowerCase())) throw invalid('an ambiguous length or transfer coding');
  const bare = trimmed(name);
  return TOKEN.test(bare) ? bare.toLowerCase() : LEFT_OUT;
}

/** Checks unfinished lines too, because a server that sends a greeting and then waits isn't a web server. */
function refuseOtherProtocol(start: string): void {
  if (!start.startsWith(PROTOCOL.slice(0, start.length))) throw new MalformedResponse(OTHER_PROTOCOL);
}

/**
 * Removes the whitespace around a value (RFC 9110, section 5.6.3). `trim` would also remove bytes that are part of
 * UTF-8 characters.
 */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

function joined(fields: readonly (readonly [name: string, value: string])[]): ResponseHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of fields) {
    if (name === LEFT_OUT) continue;
    const before = headers[name];
    if (name === 'content-length' && before !== undefined && before !== value) throw invalid('two content lengths');
    if (before === undefined) headers[name] = value;
    else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`;
  }
  return headers;
}
