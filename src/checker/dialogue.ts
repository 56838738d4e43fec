import type { Socket } from 'node:net';
import { arrivalMs } from '../platform/time/arrival-clock';
import type { CheckResultBuilder } from './check-result-builder';

/** The most bytes that one check reads from its target. */
const MAX_BYTES = 64 * 1024;

/** Thrown by a reader: the server doesn't speak the protocol, or refuses. The message is one public sentence. */
export class Refused extends Error {}

/** A message in the received bytes, and how many of them it takes. */
export interface Read<Value> {
  value: Value;
  used: number;
}

/**
 * Finds a message at the start of the received bytes. Returns `null` while it is not complete. Throws: `Refused`. It
 * may be called once for each packet.
 */
export type Reader<Value> = (received: Buffer) => Read<Value> | null;

/**
 * A conversation with a server over an open connection: messages are sent, and answers are read until they are
 * complete. Reads at most 64 KiB. Every failure is recorded in the builder, and destroys the socket.
 */
export class Dialogue {
  private received: Buffer = Buffer.alloc(0);
  private total = 0;
  private wake: (() => void) | null = null;
  private ended: 'closed' | NodeJS.ErrnoException | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly builder: CheckResultBuilder,
    private readonly signal: AbortSignal,
  ) {
    socket.on('data', this.onData).on('error', this.onError).on('close', this.onClose);
  }

  /** Sends the bytes, if any, and reads one message. Returns `null` and records the failure if there is none. */
  async ask<Value>(sent: Buffer | string | null, read: Reader<Value>): Promise<Value | null> {
    if (sent !== null) this.socket.write(sent);
    const startedAt = performance.now();
    const found = await this.next(read);
    this.builder.add('firstByteMs', Math.max(0, arrivalMs() - startedAt));
    if (found === null) this.close();
    return found;
  }

  send(bytes: Buffer | string): void {
    this.socket.write(bytes);
  }

  /**
   * Gives up the socket, for starting TLS on it. Returns `null` and records a failure if the server has sent more than
   * its answer, because someone on the way could have inserted it.
   */
  release(): Socket | null {
    this.socket.off('data', this.onData).off('error', this.onError).off('close', this.onClose);
    if (this.received.length === 0) return this.socket;
    this.socket.destroy();
    return this.builder.down('protocol_error', 'first_byte', 'The server sent data before TLS was started.');
  }

  close(): void {
    this.socket.destroy();
  }

  private readonly onData = (chunk: Buffer): void => {
    this.total += chunk.length;
    if (this.total <= MAX_BYTES) this.received = Buffer.concat([this.received, chunk]);
    this.wake?.();
  };
  private readonly onError = (error: NodeJS.ErrnoException): void => {
    this.ended ??= error;
    this.wake?.();
  };
  private readonly onClose = (): void => {
    this.ended ??= 'closed';
    this.wake?.();
  };

  private async next<Value>(read: Reader<Value>): Promise<Value | null> {
    const { builder, signal } = this;
    const wake = (): void => this.wake?.();
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        if (signal.aborted) return builder.aborted('first_byte');
        if (this.total > MAX_BYTES)
          return builder.down('protocol_error', 'first_byte', 'The server sent more than 64 KiB.');
        const found = read(this.received);
        if (found !== null) {
          this.received = this.received.subarray(found.used);
          return found.value;
        }
        if (this.ended === 'closed')
          return builder.down(
            'protocol_error',
            'first_byte',
            'The server closed the connection before its response was complete.',
          );
        if (this.ended !== null) return builder.socketFailed(this.ended, 'first_byte', 'The connection');
        await new Promise<void>((resolve) => (this.wake = resolve));
        this.wake = null;
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return builder.down('protocol_error', 'first_byte', error.message);
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}

const MAX_LINE = 1024;

/** Reads one line that ends with LF or CRLF. Throws: `Refused` if it has more than 1 KiB. */
export const line: Reader<string> = (received) => {
  const end = received.indexOf(10);
  if (end < 0 ? received.length > MAX_LINE : end > MAX_LINE)
    throw new Refused('The server sent a line of more than 1 KiB.');
  return end < 0 ? null : { value: received.toString('latin1', 0, end).replace(/\r$/, ''), used: end + 1 };
};

/** Waits until the bytes have arrived, and discards everything up to their end. Without `bytes`, waits for any byte. */
export const containing =
  (bytes: Buffer | null): Reader<true> =>
  (received) => {
    if (bytes === null) return received.length > 0 ? { value: true, used: received.length } : null;
    const at = received.indexOf(bytes);
    return at < 0 ? null : { value: true, used: at + bytes.length };
  };
