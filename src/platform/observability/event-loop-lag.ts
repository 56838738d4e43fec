import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../time/clock';

/** How often the event loop is observed while work depends on it. */
export const BEAT_MS = 50;
/**
 * How often the event loop is observed otherwise. Each observation wakes the process, and twenty per second cost more
 * than twenty endpoints.
 */
const REST_MS = 5000;
/** The number of beats in a row without dependent work before observation slows down. */
const LINGER_BEATS = 2;

/** The time between two observations of the event loop, measured by the monotonic clock. */
export interface Beat {
  from: number;
  to: number;
  /** The maximum time that the beat should have taken. Shorter if work arrived during a rest. */
  intendedMs: number;
  /** By how much more the wall clock advanced than the monotonic clock. Negative if the wall clock was set back. */
  wallShiftMs: number;
}

/**
 * Returns how much longer than intended a beat took. During that time, no timer ran and no socket was read. Negative if
 * the beat was cut short.
 */
export const lagOf = ({ from, to, intendedMs }: Beat): number => to - from - intendedMs;

/**
 * Detects times at which this process could not run or the clock changed: a blocked event loop, SIGSTOP, a suspended
 * host, or a changed wall clock. Its listeners decide what that means. Work that depends on it (a check, a request)
 * calls `enter` and `leave`. In between, the event loop is observed 20 times per second, otherwise once every 5 s.
 */
@Injectable()
export class EventLoopLag implements OnModuleInit, OnModuleDestroy {
  private readonly listeners: ((beat: Beat) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private intendedMs = BEAT_MS;
  private beatAt = 0;
  private wallAt = 0;
  private present = 0;
  private wasEntered = false;
  private unattendedBeats = 0;

  constructor(private readonly clock: Clock) {}

  onModuleInit(): void {
    this.beatAt = this.clock.monotonic();
    this.wallAt = this.clock.now().getTime();
    this.beatEvery(BEAT_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Calls `listener` with every beat: 20 times per second while work depends on it, otherwise once every 5 s. */
  onBeat(listener: (beat: Beat) => void): void {
    this.listeners.push(listener);
  }

  /** Stops all beats. For tests whose steps must not depend on the load of their host. */
  silence(): void {
    this.listeners.length = 0;
  }

  /** Ensures that every lag of more than one beat is noticed until the matching call of `leave`. */
  enter(): void {
    this.present++;
    this.wasEntered = true;
    if (this.intendedMs === BEAT_MS || !this.timer) return;
    this.beat();
    this.beatEvery(BEAT_MS);
  }

  leave(): void {
    this.present--;
  }

  /** Reports a lag of more than `ms` now instead of at the next timer. */
  reportBeyond(ms: number): void {
    if (!this.timer || this.clock.monotonic() - this.beatAt <= this.intendedMs + ms) return;
    this.beat();
    this.timer.refresh();
  }

  private beatEvery(ms: number): void {
    clearInterval(this.timer);
    this.intendedMs = ms;
    this.unattendedBeats = 0;
    this.timer = setInterval(() => this.tick(), ms).unref();
  }

  private tick(): void {
    this.beat();
    this.unattendedBeats = this.wasEntered ? 0 : this.unattendedBeats + 1;
    this.wasEntered = this.present > 0;
    if (this.unattendedBeats >= LINGER_BEATS && this.intendedMs === BEAT_MS) this.beatEvery(REST_MS);
  }

  private beat(): void {
    const now = this.clock.monotonic();
    const wall = this.clock.now().getTime();
    const wallShiftMs = wall - this.wallAt - (now - this.beatAt);
    const beat = { from: this.beatAt, to: now, intendedMs: this.intendedMs, wallShiftMs };
    this.beatAt = now;
    this.wallAt = wall;
    for (const listener of this.listeners) listener(beat);
  }
}
