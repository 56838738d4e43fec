import type { Logger } from '@nestjs/common';
import { reasonOf, type WriteFailure, writeFailureOf } from '../../history/write/write-failure';
import { BoundedMap } from '../../platform/cache/bounded-map';
import type { Clock } from '../../platform/time/clock';
import type { MonitoringMetrics } from '../monitoring.metrics';
import { type EndpointResults, resultsOfEach } from './batch';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import { RefusedQueue } from './refused-queue';

/** After this many parts in a row that cannot be written, none at all having been, the search is not worth its cost. */
const HOPELESS = 40;

/** What became of a batch that was written in parts. */
export interface Split {
  /** Whether anything could be written. */
  wroteAny: boolean;
  /** Endpoints whose results cannot be written although they were alone, or were not even tried alone. */
  refused: EndpointResults[];
}

/** The results by endpoint, those of one organization side by side: where one is refused, its neighbours often are too. */
export function byEndpoint(batch: readonly PendingCheck[]): EndpointResults[] {
  const orgOf = ([first]: EndpointResults): string => first?.check.orgId ?? '';
  return resultsOfEach(batch).sort((a, b) => (orgOf(a) < orgOf(b) ? -1 : Number(orgOf(a) > orgOf(b))));
}

/**
 * Writes a batch that was refused as a whole: halves, quarters and so on, larger parts first, until what is refused is
 * alone. `write` resolves to whether a part was written; what it throws ends the work. One bad endpoint among 500 costs
 * 18 transactions. The results of one endpoint stay together, so that none overtakes another.
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

/** What became of a batch. */
export interface WrittenBatch {
  /** Results that are to be written again, in their order. */
  left: readonly PendingCheck[];
  /** Why the batch was not written; `undefined` when it was. */
  error?: unknown;
}

/** What a refused batch is written with, part by part. */
interface Writes {
  /** Batches and parts that were written. */
  readonly written: number;
  /** One transaction, its rows locked and read. */
  commitLocked(entries: readonly PendingCheck[]): Promise<void>;
  /** Whether the database responds at all. */
  isAvailable(): Promise<boolean>;
}

/** Results that are tried at once of those that were refused before: what follows from them may be much. */
const MAX_AT_ONCE = 50;

/**
 * What becomes of a batch that the database refuses: it is written in parts, so that a result that cannot be written costs
 * its own endpoint that result and nobody else anything. What is refused alone is tried again, then given up.
 */
export class RefusedResults {
  readonly queue = new RefusedQueue();
  /** Batches in a row that failed although the database is available. */
  private inARow = 0;
  private lastRefusal = '';
  /** Endpoints whose refused results are in the log. */
  private readonly reported = new BoundedMap<string, true>(10_000);

  constructor(
    private readonly writer: Writes,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** A batch was written as a whole. */
  noteWritten(): void {
    this.inARow = 0;
  }

  /** A batch was not written: writes it in parts when it is refused. What no part could be written with is queued. */
  async writeRest(batch: readonly PendingCheck[], error: unknown): Promise<WrittenBatch> {
    return (await this.isRefused(error)) ? this.split(batch, error) : { left: batch, error };
  }

  /**
   * Tries what was refused before, for at most `limitMs`: one result, and more at once as long as they are written, as they are
   * when the database itself was at fault. Of several that are refused each is tried alone.
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

  /** True when the result is given up. */
  private noteRefusal(entry: PendingCheck, failure: WriteFailure): boolean {
    const isGivenUp = this.queue.refused(entry, failure, this.writer.written, this.clock.monotonic());
    if (isGivenUp) entry.resolve?.('dropped');
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

  /** Whether the batch failed because of what is in it. What is unclear is believed the second time. */
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

  /** `null` when the part was committed. Throws when the database is away or rows are locked: nobody's fault here. */
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
