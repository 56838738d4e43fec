import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../time/clock';

/** How often the loop is observed while work depends on it. */
export const BEAT_MS = 50;
/**
 * How often it is observed otherwise. Each look wakes the process, and twenty per second cost more than twenty
 * endpoints.
 */
const REST_MS = 5000;
/** Beats in a row without dependent work before it rests. */
const LINGER_BEATS = 2;

/** The time between two looks at the event loop, on the monotonic clock. */
export interface Beat {
  from: number;
  to: number;
  /** The maximum time it should have taken. Shorter if work arrived during a rest. */
  intendedMs: number;
  /** How much more the wall clock advanced than the monotonic one, negative if it was set back. */
  wallShiftMs: number;
}

/**
 * Returns how much longer than intended a beat took. For that time no timer ran and no socket was read. Negative if the
 * beat was cut short.
 */
export const lagOf = ({ from, to, intendedMs }: Beat): number => to - from - intendedMs;

/**
 * Detects moments in which this process could not run: a blocked event loop, SIGSTOP, a suspended machine, a wall clock
 * that was set. Its listeners decide what that means. Work that depends on it (a check, a request) calls `enter` and
 * `leave`. In between it looks 20 times per second, otherwise once in 5 s.
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

  /** Calls `listener` with every beat: 20 times per second while work depends on it, otherwise once in 5 s. */
  onBeat(listener: (beat: Beat) => void): void {
    this.listeners.push(listener);
  }

  /** Stops all beats, for tests whose steps must not depend on the load of their machine. */
  silence(): void {
    this.listeners.length = 0;
  }

  /** Ensures that every lag of more than a beat is noticed until the matching `leave`. */
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
