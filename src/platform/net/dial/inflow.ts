import type { OnReadOpts } from 'node:net';

/** The buffer for one read from the kernel. Has the same size as Node's buffer. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Receives the bytes from one plain connection. All connections read into one shared buffer, one at a time. `data`
 * events would allocate a buffer for each read and queue it in a stream, which is a tenth of a check's CPU time.
 */
export class Inflow {
  readonly onread: OnReadOpts = { buffer: shared, callback: (length) => this.pass(length) };
  private early: Buffer[] = [];
  private taker: ((bytes: Buffer) => void) | null = null;

  /**
   * Passes the bytes to `taker` in the order of arrival. `taker` must copy the bytes that it keeps, because they are
   * overwritten after it returns.
   */
  handTo(taker: (bytes: Buffer) => void): void {
    this.taker = taker;
    for (const bytes of this.early.splice(0)) taker(bytes);
  }

  private pass(length: number): true {
    const bytes = shared.subarray(0, length);
    if (this.taker) this.taker(bytes);
    else this.early.push(Buffer.from(bytes));
    return true;
  }
}
