import type { Logger } from '@nestjs/common';
import { reasonOf, type WriteFailure, writeFailureOf } from '../../history/write/write-failure';
import { BoundedMap } from '../../platform/cache/bounded-map';
import type { Clock } from '../../platform/time/clock';
import type { MonitoringMetrics } from '../monitoring.metrics';
import { type EndpointResults, resultsOfEach } from './batch';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import { RefusedQueue } from './refused-queue';

/** If this many parts in a row can't be written, and none has been written, the search isn't worth its cost. */
const HOPELESS = 40;

/** The outcome of writing a batch in parts. */
export interface Split {
  wroteAny: boolean;
  /** Endpoints whose results can't be written separately, or were never tried separately. */
  refused: EndpointResults[];
}

/**
 * Groups the results by endpoint and sorts the endpoints by organization. If one result is rejected, its neighbors
 * often are too.
 */
export function byEndpoint(batch: readonly PendingCheck[]): EndpointResults[] {
  const orgOf = ([first]: EndpointResults): string => first?.check.orgId ?? '';
  return resultsOfEach(batch).sort((a, b) => (orgOf(a) < orgOf(b) ? -1 : Number(orgOf(a) > orgOf(b))));
}

/**
 * Writes a batch that was rejected as a whole: in halves, quarters, and so on, larger parts first, until each rejected
 * endpoint is isolated. `write` resolves to whether a part was written. If it throws, the search stops. One failing
 * endpoint among 500 costs 18 transactions. The results for one endpoint stay together, so that they keep their order.
 */
export async function writeInParts(
  endpoints: readonly EndpointResults[],
  write: (part: readonly EndpointResults[]) => Promise<boolean>,
): Promise<Split> {
  const refused: EndpointResults[] = [];
  let wroteAny = false;
  const parts = halves(endpoints);
  for (let done = 0, part = parts[0]; part; part = parts[++done]) {
    if (!wroteAny && done >= HOPELESS) return { wroteAny, refused: [...refused, ...parts.slice(done).flat()] };
    if (await write(part)) wroteAny = true;
    else if (part.length > 1) parts.push(...halves(part));
    else refused.push(...part);
  }
  return { wroteAny, refused };
}

function halves(endpoints: readonly EndpointResults[]): (readonly EndpointResults[])[] {
  if (endpoints.length < 2) return [endpoints];
  const middle = endpoints.length >> 1;
  return [endpoints.slice(0, middle), endpoints.slice(middle)];
}

export interface WrittenBatch {
  /** Results to write again, in order. */
  left: readonly PendingCheck[];
  /** Why the batch was not written, or `undefined` if it was. */
  error?: unknown;
}

/** The database access that is needed to write a rejected batch. */
interface Writes {
  readonly written: number;
  /** Commits one transaction, with its rows locked and read. */
  commitLocked(entries: readonly PendingCheck[]): Promise<void>;
  /** Resolves to whether the database responds at all. */
  isAvailable(): Promise<boolean>;
}

/** The maximum number of rejected results that are retried together, because they may cause much more work. */
const MAX_AT_ONCE = 50;

/**
 * Handles batches that the database rejects. Such a batch is written in parts, so that a result that can't be written
 * is all that its endpoint loses. A result that is rejected on its own is retried, and then dropped.
 */
export class RefusedResults {
  readonly queue = new RefusedQueue();
  /** The number of consecutive batches that failed although the database is available. */
  private inARow = 0;
  private lastRefusal = '';
  /** Endpoints whose rejected results have already been logged. */
  private readonly reported = new BoundedMap<string, true>(10_000);

  constructor(
    private readonly writer: Writes,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  noteWritten(): void {
    this.inARow = 0;
  }

  /**
   * Handles a batch that couldn't be written. If the database rejected it, writes it in parts and queues the results
   * that can't be written.
   */
  async writeRest(batch: readonly PendingCheck[], error: unknown): Promise<WrittenBatch> {
    return (await this.isRefused(error)) ? this.split(batch, error) : { left: batch, error };
  }

  /**
   * Retries rejected results for at most `limitMs`. Starts with one result and doubles the number as long as they can
   * be written, which is the case if the database itself had a problem. If several are rejected together, each is tried
   * separately.
   */
  async retry(limitMs: number): Promise<void> {
    const began = this.clock.monotonic();
    const givenUp: string[] = [];
    let entries = this.queue.next(began, 1);
    while (entries.length > 0) {
      try {
        const failure = await this.tryCommit(entries);
        const size = failure === null ? Math.min(2 * entries.length, MAX_AT_ONCE) : 1;
        const [first, ...others] = entries;
        if (failure === null) for (const entry of entries) this.queue.written(entry);
        else if (first && others.length === 0 && this.noteRefusal(first, failure)) givenUp.push(first.check.endpointId);
        entries = this.queue.next(began, size);
      } catch (error) {
        this.logger.warn(`${this.queue.size} rejected results are waiting: ${reasonOf(error)}`);
        break;
      }
      if (this.clock.monotonic() - began > limitMs) break;
    }
    if (givenUp.length > 0) this.reportGivenUp(givenUp);
  }

  /** Returns true if the result is dropped. */
  private noteRefusal(entry: PendingCheck, failure: WriteFailure): boolean {
    const isGivenUp = this.queue.refused(entry, failure, this.writer.written, this.clock.monotonic());
    if (isGivenUp) entry.resolve?.('dropped', entry.check);
    return isGivenUp;
  }

  private reportGivenUp(endpointIds: readonly string[]): void {
    this.metrics.resultsParked.inc(endpointIds.length);
    const unreported = [...new Set(endpointIds)].filter((id) => !this.reported.get(id));
    for (const id of unreported) this.reported.set(id, true);
    if (unreported.length > 0)
      this.logger.error(
        `Results of ${unreported.length} endpoints were given up because the database rejected them (${unreported.slice(0, 5).join(' ')}): ${this.lastRefusal}`,
      );
  }

  /** Returns whether the batch failed because of its content. An ambiguous failure counts as such the second time. */
  private async isRefused(error: unknown): Promise<boolean> {
    const failure = writeFailureOf(error);
    if (failure === 'content') return true;
    if (failure !== 'unclear' || ++this.inARow < 2) return false;
    return this.writer.isAvailable();
  }

  private async split(batch: readonly PendingCheck[], error: unknown): Promise<WrittenBatch> {
    this.logger.warn(`Writing ${batch.length} results in smaller parts: ${reasonOf(error)}`);
    const open = new Set(batch);
    const { written } = this.writer;
    const write = async (part: readonly EndpointResults[]): Promise<boolean> => {
      const entries = part.flat();
      const failure = await this.tryCommit(entries);
      if (failure === null) for (const entry of entries) open.delete(entry);
      return failure === null;
    };
    try {
      const { refused } = await writeInParts(byEndpoint(batch), write);
      for (const entry of refused.flat()) this.queue.add(entry, written);
      return { left: [] };
    } catch (failed) {
      return { left: batch.filter((entry) => open.has(entry)), error: failed };
    }
  }

  /**
   * Returns `null` if the part was committed. Throws if the database is unavailable or rows are locked, which isn't
   * caused by any result.
   */
  private async tryCommit(entries: readonly PendingCheck[]): Promise<WriteFailure | null> {
    try {
      await this.writer.commitLocked(entries);
      return null;
    } catch (error) {
      const failure = writeFailureOf(error);
      if (failure === 'away' || failure === 'locked') throw error;
      this.lastRefusal = reasonOf(error);
      return failure;
    }
  }
}
