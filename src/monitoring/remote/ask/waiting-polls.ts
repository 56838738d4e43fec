import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { Health } from '../../../platform/observability/health';
import { SECOND_MS } from '../../../platform/time/time-units';

const LOOK_EVERY_MS = SECOND_MS;
/** A finding counts for this long, until the next look has ended. */
const FOUND_FOR_MS = 1.5 * LOOK_EVERY_MS;

/** The state of the probe that a waiting poll knows. */
export interface Known {
  /** The number of the probe, and the number of its last change. */
  number: number;
  numbered: number;
  session: string;
}

interface Waiting extends Known {
  resolve: () => void;
  /** The start of the newest look that found no news for it, on the monotonic clock. */
  lookedAt: number;
}

// Returns the waiting polls that have news. Cost: for each poll one lookup in a unique index and one in the index of
// requests.
const NEWS = `
  SELECT w.number
    FROM unnest($1::int[], $2::bigint[], $3::text[]) AS w (number, numbered, session)
    LEFT JOIN probe p ON p.number = w.number
    LEFT JOIN organization o ON o.id = p.org_id
   WHERE p.id IS NULL OR NOT p.enabled OR o.deleted_at IS NOT NULL OR p.numbered > w.numbered OR p.session IS DISTINCT FROM w.session
      OR EXISTS (SELECT FROM probe_ask a WHERE a.number = w.number AND a.taken_at IS NULL AND a.expires_at > $4)`;

/**
 * The polls of this process that wait for work. One statement each second asks for all of them. For each probe, only
 * the newest poll waits.
 */
@Injectable()
export class WaitingPolls implements BeforeApplicationShutdown {
  private readonly logger = new Logger(WaitingPolls.name);
  private readonly waiting = new Map<number, Waiting>();
  private asking = false;
  private stopped = false;
  private isFailing = false;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly health: Health,
  ) {}

  /**
   * Waits for news for the probe. Resolves when there may be news, after `ms`, when the client leaves, when the probe
   * polls again, and at shutdown. Resolves to false if there was no news a moment before the time was over, so that
   * nothing need be read.
   */
  wait(known: Known, ms: number, left: AbortSignal): Promise<boolean> {
    this.wake(known.number);
    if (this.isStopping || left.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (mayHaveNews: boolean) => {
        clearTimeout(timer);
        left.removeEventListener('abort', done);
        if (this.waiting.get(known.number) === entry) this.waiting.delete(known.number);
        resolve(mayHaveNews);
      };
      const done = () => end(true);
      const entry: Waiting = { ...known, resolve: done, lookedAt: -Infinity };
      const timer = setTimeout(() => end(this.clock.monotonic() - entry.lookedAt > FOUND_FOR_MS), ms);
      left.addEventListener('abort', done);
      this.waiting.set(known.number, entry);
    });
  }

  /** Wakes the poll of the probe with this number, because there is news. It need not wait for the next look. */
  wake(number: number): void {
    this.waiting.get(number)?.resolve();
  }

  /** Does nothing while the previous look is still running. */
  @Interval(LOOK_EVERY_MS)
  async look(): Promise<void> {
    if (this.isStopping) this.wakeAll();
    if (this.asking || this.waiting.size === 0) return;
    this.asking = true;
    try {
      const all = [...this.waiting.values()];
      const lookedAt = this.clock.monotonic();
      const news = await this.database.query<{ number: number }>(NEWS, [
        all.map(({ number }) => number),
        all.map(({ numbered }) => String(numbered)),
        all.map(({ session }) => session),
        this.clock.now(),
      ]);
      for (const entry of all) entry.lookedAt = lookedAt;
      for (const { number } of news) this.wake(number);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(`Could not notify waiting probes of changes: ${String(error)}`);
      this.isFailing = true;
    } finally {
      this.asking = false;
    }
  }

  /** Sends the responses of waiting polls before the listener closes. */
  beforeApplicationShutdown(): void {
    this.stopped = true;
    this.wakeAll();
  }

  private get isStopping(): boolean {
    return this.stopped || this.health.draining;
  }

  private wakeAll(): void {
    for (const { resolve } of this.waiting.values()) resolve();
  }
}
