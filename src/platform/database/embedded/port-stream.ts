import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/**
 * Makes a MessagePort look like the socket that `pg` expects from its `stream` option. The other end speaks
 * PostgreSQL's wire protocol.
 */
export class PortStream extends Duplex {
  constructor(private readonly open: () => MessagePort) {
    super();
  }

  private port: MessagePort | null = null;

  /** `pg` calls this instead of a TCP connect. The address is ignored. */
  connect(): this {
    const port = this.open();
    this.port = port;
    port.on('message', (bytes: Uint8Array) => this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
    port.on('close', () => this.destroy());
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  override _read(): void {
    // The port delivers replies as they arrive, and a client has at most one statement in flight.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.send(chunk);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.port?.close();
    done(error);
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.port?.ref();
    return this;
  }

  unref(): this {
    this.port?.unref();
    return this;
  }

  /** Transfers a copy, because `pg` writes slices of a buffer that it reuses. */
  private send(chunk: Buffer): void {
    const bytes = new Uint8Array(chunk);
    this.port?.postMessage(bytes, [bytes.buffer]);
  }
}
