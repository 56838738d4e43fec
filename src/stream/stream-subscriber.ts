import type { Response } from 'express';
import type { Caller } from '../platform/access/caller';
import { isAfter, type StreamPosition } from './stream-position';
import type { StreamItem } from './stream-reader';

/**
 * A client with more unread data than this is disconnected. It can resume from the database, which needs no memory in
 * this process.
 */
const MAX_UNSENT_BYTES = 1_000_000;
/** If more events than this arrive while a client catches up, the client is too slow and has to start again. */
const MAX_HELD_BACK = 10_000;

/** One open connection. Live items are held back until it has caught up. Nothing is sent twice. */
export class StreamSubscriber {
  private position: StreamPosition;
  private heldBack: StreamItem[] | null = [];

  constructor(
    readonly caller: Caller,
    private readonly response: Response,
    start: StreamPosition,
  ) {
    this.position = start;
  }

  /** The position of the last item that was sent or skipped. */
  get resumeFrom(): StreamPosition {
    return this.position;
  }

  get isClosed(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** The number of bytes that the client has not read yet. */
  get unsentBytes(): number {
    return this.isClosed ? 0 : this.response.writableLength;
  }

  /** Takes a live item of its organization. Call this in stream order. */
  offer(item: StreamItem): void {
    if (this.heldBack) this.heldBack.push(item);
    else this.send(item);
    if (this.heldBack && this.heldBack.length > MAX_HELD_BACK) this.cutOff();
  }

  /** Sends items that were read only for this client. Call this in stream order. */
  catchUp(items: readonly StreamItem[]): void {
    for (const item of items) this.send(item);
  }

  /** Sends the items that were held back. From now on, live items are sent immediately. */
  goLive(): void {
    const items = this.heldBack ?? [];
    this.heldBack = null;
    for (const item of items) this.send(item);
  }

  write(text: string): void {
    if (this.isClosed) return;
    this.response.write(text);
    if (this.response.writableLength > MAX_UNSENT_BYTES) this.cutOff();
  }

  /** Closes the connection and drops all unsent data. */
  cutOff(): void {
    this.heldBack = null;
    this.response.destroy();
  }

  close(): void {
    this.response.end();
  }

  private send(item: StreamItem): void {
    if (!isAfter(item.position, this.position)) return;
    this.position = item.position;
    if (item.message !== null) this.write(item.message);
  }
}
