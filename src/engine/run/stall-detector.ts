import { Injectable } from '@nestjs/common';
import { type Beat, EventLoopLag, lagOf } from '../../platform/observability/event-loop-lag';
import { Metrics } from '../../platform/observability/metrics';
import type { Stall } from './stall-evidence';

/** A longer event loop lag is a stall. */
const STALL_MS = 250;
/**
 * The wall clock may drift by this much between two beats before it counts as a jump (a suspend, or a changed clock).
 */
const JUMP_MS = 1000;
/**
 * The maximum number of stalls that are remembered. Checks take at most 300 s. With more stalls than this in that time,
 * hardly any result can be trusted anyway.
 */
const REMEMBERED = 256;

/**
 * Remembers when this process couldn't read its sockets: a blocked event loop, SIGSTOP, a suspended machine, or a
 * changed clock. `stall-evidence.ts` decides whether that explains why a check failed.
 */
@Injectable()
export class StallDetector {
  private readonly recent: Stall[] = [];
  private readonly lostSeconds;
  private readonly jumps;

  /** The length of the newest stall in milliseconds, or 0 before the first. */
  lastStallMs = 0;
  stallCount = 0;

  constructor(
    private readonly lag: EventLoopLag,
    metrics: Metrics,
  ) {
    lag.onBeat((beat) => this.note(beat));
    this.lostSeconds = metrics.counter({
      name: 'uptime_stall_seconds_total',
      help: 'Total time of event loop stalls that were longer than 250 ms.',
    });
    this.jumps = metrics.counter({
      name: 'uptime_clock_jumps_total',
      help: 'How often the wall clock and the monotonic clock diverged by more than a second.',
    });
  }

  /** Starts a check. All stalls are detected until `leave` has been called for each `enter`. */
  enter(): void {
    this.lag.enter();
  }

  leave(): void {
    this.lag.leave();
  }

  /** The remembered stalls, oldest first, including one that ends right now. */
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
