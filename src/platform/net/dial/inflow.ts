import type { OnReadOpts } from 'node:net';

/** The buffer for one read of the kernel, with the size that Node uses. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Receives the bytes of one plain connection. All connections read into one shared buffer, one after the other. `data`
 * events would allocate a buffer per read and queue it in a stream, which costs a check a tenth of its CPU.
 */
export class Inflow {
  readonly onread: OnReadOpts = { buffer: shared, callback: (length) => this.pass(length) };
  private early: Buffer[] = [];
  private taker: ((bytes: Buffer) => void) | null = null;

  /**
   * Passes the bytes to `taker` in the order of arrival. `taker` must copy what it keeps, because the bytes are
   * overwritten when it returns.
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
