import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { rowsOf } from '../../../platform/database/rows-of';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { Health } from '../../../platform/observability/health';
import { SECOND_MS } from '../../../platform/time/time-units';

const LOOK_EVERY_MS = SECOND_MS;
/** How long a finding is valid. This is long enough for the next lookup to finish. */
const FOUND_FOR_MS = 1.5 * LOOK_EVERY_MS;

/** The probe's state, as known to a waiting poll. */
export interface Known {
  /** The probe's number, and the number of its last change. */
  number: number;
  numbered: number;
  session: string;
}

interface Waiting extends Known {
  resolve: () => void;
  /** When the newest lookup that found no news for the probe started, on the monotonic clock. */
  lookedAt: number;
}

const WAITING = rowsOf<Known>({
  number: ['int', ({ number }) => number],
  numbered: ['bigint', ({ numbered }) => numbered],
  session: ['text', ({ session }) => session],
});

// Returns the waiting polls that have news. Cost: for each poll, one lookup in a unique index and one in the index of
// requests.
const NEWS = `
  SELECT w.number
    FROM ${WAITING.as('w')}
    LEFT JOIN probe p ON p.number = w.number
    LEFT JOIN organization o ON o.id = p.org_id
   WHERE p.id IS NULL OR NOT p.enabled OR o.deleted_at IS NOT NULL OR p.numbered > w.numbered OR p.session IS DISTINCT FROM w.session
      OR EXISTS (SELECT FROM probe_ask a WHERE a.number = w.number AND a.taken_at IS NULL AND a.expires_at > $4)`;

/**
 * This process's polls that wait for work. One statement per second checks all of them. For each probe, only the newest
 * poll waits.
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
   * Waits for news for the probe. Resolves when there may be news, after `ms`, when the client disconnects, when the
   * probe polls again, and at shutdown. Resolves to false if there was no news just before the time was up, in which
   * case nothing needs to be read.
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

  /** Wakes the poll of the probe with this number because there is news, without waiting for the next lookup. */
  wake(number: number): void {
    this.waiting.get(number)?.resolve();
  }

  /** Does nothing while the previous lookup is still running. */
  @Interval(LOOK_EVERY_MS)
  async look(): Promise<void> {
    if (this.isStopping) this.wakeAll();
    if (this.asking || this.waiting.size === 0) return;
    this.asking = true;
    try {
      const all = [...this.waiting.values()];
      const lookedAt = this.clock.monotonic();
      const news = await this.database.query<{ number: number }>(NEWS, [...WAITING.of(all), this.clock.now()]);
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

  /** Responds to waiting polls before the listener closes. */
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
