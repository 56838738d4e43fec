import type { Response } from 'express';
import type { Caller } from '../platform/access/caller';
import { isAfter, type StreamPosition } from './stream-position';
import type { StreamItem } from './stream-reader';

/** A reader this far behind is cut off: it resumes from the database instead of from our memory. */
const MAX_UNSENT_BYTES = 1_000_000;

/** One open connection. Items of the live feed that arrive while it catches up wait; none is sent twice. */
export class StreamSubscriber {
  private position: StreamPosition;
  private waiting: StreamItem[] | null = [];

  constructor(
    readonly caller: Caller,
    private readonly response: Response,
    start: StreamPosition,
  ) {
    this.position = start;
  }

  get place(): StreamPosition {
    return this.position;
  }

  get isClosed(): boolean {
    return this.response.writableEnded || this.response.destroyed;
  }

  /** Items of the live feed, in order. */
  offer(item: StreamItem): void {
    if (item.orgId !== this.caller.orgId) return;
    if (this.waiting) this.waiting.push(item);
    else this.send(item);
  }

  /** Items read for this reader alone, in order. */
  catchUp(items: readonly StreamItem[]): void {
    for (const item of items) this.send(item);
  }

  /** From here on the live feed is sent as it comes. */
  goLive(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const item of waiting) this.send(item);
  }

  write(text: string): void {
    if (this.isClosed) return;
    this.response.write(text);
    if (this.response.writableLength > MAX_UNSENT_BYTES) this.response.destroy();
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
