import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { arrivalMs } from './arrival-clock';
import { ignoreError } from './connection-race';
import { type SocketFault, socketFault } from './dial-error';

/** One HTTP/1.1 request on a connection that was made for it; the connection is closed afterwards. */
export interface ExchangeRequest {
  socket: Socket;
  method: string;
  /** Path and query. */
  path: string;
  /** Sent as they are and in this order; they must hold `Host`, and `Content-Length` when there is a body. */
  headers: readonly (readonly [name: string, value: string])[];
  body: string | null;
  /** Bytes of the body that are read before the connection is cut. */
  maxBodyBytes: number;
  /** Whether the body is handed over, or only counted. */
  keepBody: boolean;
  signal: AbortSignal;
}

export interface ExchangeAnswer {
  status: number;
  /** Lower-case names; repeated ones joined as node does. */
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** True when there was more than `maxBodyBytes`. */
  truncated: boolean;
  firstByteMs: number;
  transferMs: number;
}

/** `aborted`: the signal. `closed`: the peer ended it early. `protocol`: what came is not HTTP. Otherwise the socket's fault. */
export type ExchangeFault = 'aborted' | 'closed' | 'protocol' | SocketFault;

/** No complete answer. */
export class ExchangeError extends Error {
  constructor(
    readonly fault: ExchangeFault,
    readonly phase: 'first_byte' | 'transfer',
    /** Public: what was wrong, without any content of the answer. */
    message: string,
    readonly firstByteMs: number | null,
    readonly transferMs: number | null,
    /** The status, when it had arrived. */
    readonly status: number | null,
    /** False only when nothing can have left: otherwise the peer may have acted on the request. */
    readonly written: boolean,
  ) {
    super(message);
  }
}

const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Writes the request and reads the answer with Node's own parser. Throws `ExchangeError` only. The socket is destroyed
 * when it settles, whatever became of it.
 */
export function exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => new Exchange(request, resolve, reject).run());
}

class Exchange {
  private readonly startedAt = performance.now();
  private readonly chunks: Buffer[] = [];
  private request: ClientRequest | undefined;
  private response: IncomingMessage | undefined;
  private firstByteAt = 0;
  private received = 0;
  private written = false;
  private settled = false;

  constructor(
    private readonly order: ExchangeRequest,
    private readonly resolve: (answer: ExchangeAnswer) => void,
    private readonly reject: (error: ExchangeError) => void,
  ) {}

  run(): void {
    const { body, signal } = this.order;
    if (signal.aborted) return this.handleEvent();
    const request = this.build();
    if (!request) return this.fail('protocol', 'the request cannot be sent as it is');
    this.request = request;
    request.on('response', (response) => this.read(response));
    request.on('upgrade', () => this.fail('protocol', 'it switched to another protocol'));
    request.on('error', (error) => this.failWith(error));
    signal.addEventListener('abort', this);
    this.written = true;
    // As bytes: Node would send headers in the encoding of a body that is text, and they are Latin-1.
    request.end(body === null ? undefined : Buffer.from(body));
  }

  /** Called by the signal. */
  handleEvent(): void {
    this.fail('aborted', 'there was no complete answer in time');
  }

  /** Node refuses characters that would break the framing by throwing; its message may repeat a secret. */
  private build(): ClientRequest | null {
    const { socket, method, path, headers } = this.order;
    try {
      return httpRequest({
        method,
        path,
        headers: headers.flat(),
        createConnection: () => socket,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch {
      return null;
    }
  }

  private read(response: IncomingMessage): void {
    this.firstByteAt = arrivalMs();
    this.response = response;
    // There is no body to wait for; a server that sends one all the same is not held to it.
    if (this.order.method === 'HEAD') return this.finish(false);
    response.on('data', (chunk: Buffer) => this.take(chunk));
    response.on('end', () => this.finish(false));
    response.on('error', (error) => this.failWith(error));
  }

  private take(chunk: Buffer): void {
    const room = this.order.maxBodyBytes - this.received;
    this.received += chunk.length;
    if (this.order.keepBody && room > 0) this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (this.received > this.order.maxBodyBytes) this.finish(true);
  }

  private finish(truncated: boolean): void {
    const { response } = this;
    if (this.settled || !response) return;
    const now = arrivalMs();
    this.settle();
    this.resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(this.chunks),
      truncated,
      firstByteMs: Math.max(0, this.firstByteAt - this.startedAt),
      transferMs: Math.max(0, now - this.firstByteAt),
    });
  }

  /** Node's own "socket hang up" and "aborted" carry no syscall: the peer closed the connection in an orderly way. */
  private failWith(error: NodeJS.ErrnoException): void {
    const code = error.code ?? '';
    if (code.startsWith('HPE_')) return this.fail('protocol', parserText(code));
    if (error.syscall !== undefined) {
      const fault = socketFault(error);
      return this.fail(fault, `the connection ${fault.text}`);
    }
    if (code === 'ECONNRESET') return this.fail('closed', 'the connection was closed before the answer was complete');
    this.fail('protocol', 'the answer is not valid HTTP');
  }

  private fail(fault: ExchangeFault, text: string): void {
    if (this.settled) return;
    const now = performance.now();
    this.settle();
    const arrived = this.response !== undefined;
    this.reject(
      new ExchangeError(
        fault,
        arrived ? 'transfer' : 'first_byte',
        text,
        Math.max(0, (arrived ? this.firstByteAt : now) - this.startedAt),
        arrived ? Math.max(0, now - this.firstByteAt) : null,
        this.response?.statusCode ?? null,
        this.written,
      ),
    );
  }

  private settle(): void {
    this.settled = true;
    this.order.signal.removeEventListener('abort', this);
    this.request?.on('error', ignoreError);
    this.response?.on('error', ignoreError);
    this.order.socket.destroy();
  }
}

function parserText(code: string): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `the headers of the answer are larger than ${MAX_HEADER_BYTES / 1024} KiB`;
    case 'HPE_INVALID_CONSTANT':
    case 'HPE_INVALID_VERSION':
    case 'HPE_INVALID_STATUS':
      return 'what answers does not speak HTTP/1.1';
    default:
      return `the answer is not valid HTTP (${code.slice(4).toLowerCase().replaceAll('_', ' ').slice(0, 60)})`;
  }
}
