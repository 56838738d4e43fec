import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../time/clock';

/** How often the loop is looked at while somebody depends on it. */
export const BEAT_MS = 50;
/** And while nobody does: each look wakes the process, and twenty a second cost more than twenty endpoints. */
const REST_MS = 5000;
/** Beats in a row without anybody before it rests. */
const LINGER_BEATS = 2;

/** The time between two looks at the event loop, on the monotonic clock. */
export interface Beat {
  from: number;
  to: number;
  /** How long it should have taken at most: less when somebody came while nobody was there. */
  intendedMs: number;
  /** How far the wall clock moved more than the monotonic one; negative when it was set back. */
  wallShiftMs: number;
}

/** How much longer than intended a beat took: for that time no timer ran and no socket was read. Negative when it was cut short. */
export const lagOf = ({ from, to, intendedMs }: Beat): number => to - from - intendedMs;

/**
 * Watches for moments in which this process could not run: a blocked event loop, SIGSTOP, a suspended machine, a wall
 * clock that was set. What that means is for its listeners to decide. Who depends on it for as long as something lasts (a
 * check, a request) calls `enter` and `leave`: then it looks 20 times a second, otherwise once in 5 s.
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

  /** `listener` is called with every beat: 20 times a second while somebody depends on it, once in 5 s otherwise. */
  onBeat(listener: (beat: Beat) => void): void {
    this.listeners.push(listener);
  }

  /** Nobody is told of any beat from now on: for tests whose steps must not depend on how busy their machine is. */
  silence(): void {
    this.listeners.length = 0;
  }

  /** From now on no lag of more than a beat goes unnoticed, until as many `leave`. */
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

  /** Reports a lag of more than `ms` now, if there is one, instead of when the timer has run. */
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
