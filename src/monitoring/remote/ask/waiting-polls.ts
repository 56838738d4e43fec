import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { Health } from '../../../platform/observability/health';
import { SECOND_MS } from '../../../platform/time/time-units';

const LOOK_EVERY_MS = SECOND_MS;
/** What a look has found counts for so long: until the next one has ended. */
const FOUND_FOR_MS = 1.5 * LOOK_EVERY_MS;

/** What a poll knows while it waits; something else is news. */
export interface Known {
  /** The probe's number, and the number of its last change. */
  number: number;
  numbered: number;
  session: string;
}

interface Waiting extends Known {
  resolve: () => void;
  /** Monotonic: when the newest look began that had nothing to tell it. */
  lookedAt: number;
}

// Of those who wait, the ones that something is to be told. Cost: for each a look by a unique index and one into the index of asks.
const NEWS = `
  SELECT w.number
    FROM unnest($1::int[], $2::bigint[], $3::text[]) AS w (number, numbered, session)
    LEFT JOIN probe p ON p.number = w.number
    LEFT JOIN organization o ON o.id = p.org_id
   WHERE p.id IS NULL OR NOT p.enabled OR o.deleted_at IS NOT NULL OR p.numbered > w.numbered OR p.session IS DISTINCT FROM w.session
      OR EXISTS (SELECT FROM probe_ask a WHERE a.number = w.number AND a.taken_at IS NULL AND a.expires_at > $4)`;

/**
 * Polls that wait for something to be done, of all probes of this process: one statement each second asks for all of them. Of one
 * probe only the newest poll waits.
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
   * Resolves when there may be news for the probe, after `ms`, when its client leaves, when it polls again, and at shutdown. False when
   * there was nothing a moment before the time was over: then nothing need be read.
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

  /** There is something for the probe with this number: its poll need not wait for the next look. */
  wake(number: number): void {
    this.waiting.get(number)?.resolve();
  }

  /** Does nothing while the look before is still under way. */
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

  /** Their responses go out before the listener closes. */
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
