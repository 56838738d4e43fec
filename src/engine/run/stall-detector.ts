import { Injectable } from '@nestjs/common';
import { type Beat, EventLoopLag, lagOf } from '../../platform/observability/event-loop-lag';
import { Metrics } from '../../platform/observability/metrics';
import type { Stall } from './stall-evidence';

/** A lag longer than this is a stall. */
const STALL_MS = 250;
/** The wall clock may drift by this much between two beats before it counts as a jump (suspend, a set clock). */
const JUMP_MS = 1000;
/** Checks last 300 s at most; with more stalls than this in that time hardly any result can be trusted anyway. */
const REMEMBERED = 256;

/**
 * Remembers when this process could not look at its sockets: a blocked event loop, SIGSTOP, a suspended machine, a clock
 * that was set. Whether that explains a check's failure: `stall-evidence.ts`.
 */
@Injectable()
export class StallDetector {
  private readonly recent: Stall[] = [];
  private readonly lostSeconds;
  private readonly jumps;

  /** Length of the newest stall in milliseconds, 0 before the first. */
  lastStallMs = 0;
  /** How many stalls there were since the start. */
  stallCount = 0;

  constructor(
    private readonly lag: EventLoopLag,
    metrics: Metrics,
  ) {
    lag.onBeat((beat) => this.note(beat));
    this.lostSeconds = metrics.counter({
      name: 'uptime_stall_seconds_total',
      help: 'Time for which the event loop was blocked for more than 250 ms.',
    });
    this.jumps = metrics.counter({
      name: 'uptime_clock_jumps_total',
      help: 'How often the wall clock and the monotonic clock diverged by more than a second.',
    });
  }

  /** A check begins: from now on no stall goes unnoticed, until as many `leave`. */
  enter(): void {
    this.lag.enter();
  }

  leave(): void {
    this.lag.leave();
  }

  /** The stalls that are remembered, oldest first, one that ends at the present moment included. */
  get stalls(): readonly Stall[] {
    this.lag.reportBeyond(STALL_MS);
    return this.recent;
  }

  private note(beat: Beat): void {
    const lag = lagOf(beat);
    const jumped = Math.abs(beat.wallShiftMs) > JUMP_MS;
    if (jumped) this.jumps.inc();
    if (lag > STALL_MS) this.noteLength(lag);
    if (jumped || lag > STALL_MS) this.remember({ from: beat.from, to: beat.to, isJump: jumped });
  }

  private noteLength(lag: number): void {
    this.lastStallMs = lag;
    this.stallCount += 1;
    this.lostSeconds.inc(lag / 1000);
  }

  private remember(stall: Stall): void {
    this.recent.push(stall);
    if (this.recent.length > REMEMBERED) this.recent.shift();
  }
}
