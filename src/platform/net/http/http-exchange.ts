import type { Socket } from 'node:net';
import { arrivalMs } from '../../time/arrival-clock';
import { type SocketFault, socketFault } from '../dial/dial-error';
import { isTlsError, tlsReason } from '../dial/tls-reason';
import type { Inflow } from '../dial/inflow';
import type { BodyMemory } from './body-budget';
import { type ResponseHeaders, HttpResponseParser, MalformedResponse, NoBodyMemory } from './http-response-parser';
import { NOT_IN_VALUE, TOKEN } from './http-field';

/** An HTTP/1.1 request on a dedicated connection, which is closed after the response. */
export interface ExchangeRequest {
  socket: Socket;
  /** The receiver for the socket's bytes, if the socket was opened with one. */
  inflow?: Inflow | undefined;
  method: string;
  path: string;
  /** Headers, sent unchanged and in this order. They must include `Host`, and `Content-Length` if there is a body. */
  headers: readonly (readonly [name: string, value: string])[];
  body: string | null;
  /** The maximum number of body bytes to read before the connection is closed. */
  maxBodyBytes: number;
  /** Whether the body is returned or only counted. */
  keepBody: boolean;
  /** Reserves memory for a stored body. The caller must release it. If unset, no memory is reserved. */
  memory?: BodyMemory | undefined;
  signal: AbortSignal;
}

export interface ExchangeResponse {
  status: number;
  headers: ResponseHeaders;
  /** The values of all `Set-Cookie` headers, not joined. */
  setCookies: readonly string[];
  body: Buffer;
  /** True if the body was longer than `maxBodyBytes`. */
  truncated: boolean;
  firstByteMs: number;
  transferMs: number;
}

/**
 * `aborted`: by the signal. `closed`: too early by the peer. `protocol`: the response isn't HTTP. `memory`: there isn't
 * enough memory for the body. All other values describe a socket error.
 */
export type ExchangeFault = 'aborted' | 'closed' | 'protocol' | 'memory' | SocketFault;

export class ExchangeError extends Error {
  constructor(
    readonly fault: ExchangeFault,
    readonly phase: 'first_byte' | 'transfer',
    /** A public message that describes the error without quoting the response. */
    message: string,
    readonly firstByteMs: number | null,
    readonly transferMs: number | null,
    /** The response status, if it had already arrived. */
    readonly status: number | null,
    /** False only if nothing can have been sent. If true, the peer may have acted on the request. */
    readonly written: boolean,
  ) {
    super(message);
  }
}

/** After this many lines in one piece of the response, other work gets a turn. One-byte chunks cost 100 ns per byte. */
const MAX_LINES = 500;

const NOT_IN_PATH = /[^\x21-\x7e\x80-\xff]/;

/** Sends the request and reads the response. Throws only `ExchangeError`. The socket is destroyed afterwards. */
export function exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => new Exchange(request, resolve, reject).run());
}

class Exchange {
  private readonly startedAt = performance.now();
  private readonly parser: HttpResponseParser;
  private firstByteAt = 0;
  private written = false;
  private settled = false;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly resolve: (response: ExchangeResponse) => void,
    private readonly reject: (error: ExchangeError) => void,
  ) {
    const { method, maxBodyBytes, keepBody, memory } = request;
    this.parser = new HttpResponseParser({ absent: method === 'HEAD', maxBytes: maxBodyBytes, keep: keepBody, memory });
  }

  run(): void {
    const { socket, inflow, signal } = this.request;
    if (signal.aborted) return this.handleEvent();
    const wire = wireOf(this.request);
    if (wire === null) return this.fail('protocol', 'the request cannot be sent as it is');
    signal.addEventListener('abort', this);
    if (!inflow) socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('end', () => this.end());
    socket.on('close', () => this.end());
    socket.on('error', (error) => this.failWith(error));
    this.written = true;
    socket.write(wire);
    inflow?.handTo((bytes) => this.take(bytes));
  }

  handleEvent(): void {
    this.fail('aborted', 'the response was not complete in time');
  }

  private take(bytes: Buffer): void {
    if (this.settled) return;
    const linesBefore = this.parser.lines;
    const outcome = this.read(bytes);
    if (this.parser.lines - linesBefore > MAX_LINES) this.letOthersPass();
    if (this.parser.headRead && this.firstByteAt === 0) this.firstByteAt = arrivalMs();
    if (outcome instanceof MalformedResponse) this.fail('protocol', outcome.message);
    else if (outcome instanceof NoBodyMemory) this.fail('memory', 'there is no memory for the body of the response');
    else if (outcome) this.finish();
  }

  /** Pauses reading until the next turn of the event loop. */
  private letOthersPass(): void {
    const { socket } = this.request;
    socket.pause();
    setImmediate(() => socket.resume());
  }

  private read(bytes: Buffer): boolean | MalformedResponse | NoBodyMemory {
    try {
      return this.parser.read(bytes);
    } catch (error) {
      if (error instanceof MalformedResponse || error instanceof NoBodyMemory) return error;
      throw error;
    }
  }

  private end(): void {
    if (this.settled) return;
    if (this.parser.end()) this.finish();
    else this.fail('closed', 'the connection was closed before the response was complete');
  }

  private finish(): void {
    const now = arrivalMs();
    const { status, headers, setCookies, body, truncated } = this.parser;
    this.settle();
    this.resolve({
      status,
      headers,
      setCookies,
      body,
      truncated,
      firstByteMs: Math.max(0, this.firstByteAt - this.startedAt),
      transferMs: Math.max(0, now - this.firstByteAt),
    });
  }

  private failWith(error: NodeJS.ErrnoException): void {
    if (isTlsError(error)) return this.fail('protocol', `the connection failed with a TLS error: ${tlsReason(error)}`);
    const fault = socketFault(error);
    this.fail(fault, `the connection ${fault.text}`);
  }

  private fail(fault: ExchangeFault, text: string): void {
    if (this.settled) return;
    const now = performance.now();
    this.settle();
    const arrived = this.firstByteAt > 0;
    this.reject(
      new ExchangeError(
        fault,
        arrived ? 'transfer' : 'first_byte',
        text,
        Math.max(0, (arrived ? this.firstByteAt : now) - this.startedAt),
        arrived ? Math.max(0, now - this.firstByteAt) : null,
        arrived ? this.parser.status : null,
        this.written,
      ),
    );
  }

  private settle(): void {
    this.settled = true;
    this.request.signal.removeEventListener('abort', this);
    this.request.socket.destroy();
  }
}

/**
 * Returns the head and body for a single write, or `null` if any part of the head would break the framing. Header
 * values are encoded as Latin-1.
 */
function wireOf({ method, path, headers, body }: ExchangeRequest): Buffer | null {
  if (!TOKEN.test(method) || path === '' || NOT_IN_PATH.test(path)) return null;
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const [name, value] of headers) {
    if (!TOKEN.test(name) || NOT_IN_VALUE.test(value)) return null;
    head += `${name}: ${value}\r\n`;
  }
  const bytes = Buffer.from(`${head}\r\n`, 'latin1');
  return body === null ? bytes : Buffer.concat([bytes, Buffer.from(body)]);
}
