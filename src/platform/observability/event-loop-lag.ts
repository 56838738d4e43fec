import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../time/clock';

/** How often the loop is looked at. Twenty wake-ups a second are too cheap to be seen in a profile. */
export const BEAT_MS = 50;

/** The time between two looks at the event loop, on the monotonic clock. */
export interface Beat {
  from: number;
  to: number;
  /** How far the wall clock moved more than the monotonic one; negative when it was set back. */
  wallShiftMs: number;
}

/** How much longer than intended a beat took: for that time no timer ran and no socket was read. */
export const lagOf = ({ from, to }: Beat): number => to - from - BEAT_MS;

/**
 * Watches for moments in which this process could not run: a blocked event loop, SIGSTOP, a suspended machine, a wall
 * clock that was set. What that means is for its listeners to decide.
 */
@Injectable()
export class EventLoopLag implements OnModuleInit, OnModuleDestroy {
  private readonly listeners: ((beat: Beat) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private beatAt = 0;
  private wallAt = 0;

  constructor(private readonly clock: Clock) {}

  onModuleInit(): void {
    this.beatAt = this.clock.monotonic();
    this.wallAt = this.clock.now().getTime();
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** `listener` is called with every beat, 20 times a second. */
  onBeat(listener: (beat: Beat) => void): void {
    this.listeners.push(listener);
  }

  /** Reports a lag of more than `ms` now, if there is one, instead of when the timer has run. */
  reportBeyond(ms: number): void {
    if (!this.timer || this.clock.monotonic() - this.beatAt <= BEAT_MS + ms) return;
    this.beat();
    this.timer.refresh();
  }

  private beat(): void {
    const now = this.clock.monotonic();
    const wall = this.clock.now().getTime();
    const beat = { from: this.beatAt, to: now, wallShiftMs: wall - this.wallAt - (now - this.beatAt) };
    this.beatAt = now;
    this.wallAt = wall;
    for (const listener of this.listeners) listener(beat);
  }
}
