import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';

/** How often the loop is felt. Twenty wake-ups a second are too cheap to be seen in a profile. */
const BEAT_MS = 50;
/** A gap longer than this (beyond the beat) makes a failure inconclusive. */
const STALL_MS = 250;
/** The wall clock may drift by this much between two beats before we speak of a jump (suspend, a set clock). */
const JUMP_MS = 1000;
/** Checks live 300 s at most; more stalls than this within that time leave hardly anything to trust anyway. */
const REMEMBERED = 256;

/** Milliseconds on the monotonic clock. */
interface Stall {
  from: number;
  to: number;
}

/**
 * Notices when this process could not look at its sockets: a blocked event loop, SIGSTOP, a suspended machine, a clock that
 * was set. What failed meanwhile says nothing about the target and is run again.
 */
@Injectable()
export class StallDetector implements OnModuleInit, OnModuleDestroy {
  private readonly recent: Stall[] = [];
  private timer: NodeJS.Timeout | undefined;
  private beatAt = 0;
  private wallAt = 0;

  private readonly lostSeconds;
  private readonly jumps;

  /** Length of the newest stall in milliseconds, 0 before the first. */
  lastStallMs = 0;
  /** How many stalls there were since the start. */
  stallCount = 0;

  constructor(
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.lostSeconds = metrics.counter({
      name: 'uptime_stall_seconds_total',
      help: 'Time that the event loop stood still for more than 250 ms.',
    });
    this.jumps = metrics.counter({
      name: 'uptime_clock_jumps_total',
      help: 'How often the wall clock and the monotonic clock went apart by more than a second.',
    });
  }

  onModuleInit(): void {
    this.beatAt = this.clock.monotonic();
    this.wallAt = this.clock.now().getTime();
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** True when the process was stalled in any part of the span, the present moment included. Monotonic milliseconds. */
  overlaps(startMonotonicMs: number, endMonotonicMs: number): boolean {
    if (this.timer !== undefined && this.clock.monotonic() - this.beatAt > BEAT_MS + STALL_MS) this.beat();
    return this.recent.some(({ from, to }) => from <= endMonotonicMs && startMonotonicMs <= to);
  }

  private beat(): void {
    const now = this.clock.monotonic();
    const wall = this.clock.now().getTime();
    const gap = now - this.beatAt - BEAT_MS;
    const jumped = Math.abs(wall - this.wallAt - (now - this.beatAt)) > JUMP_MS;
    if (jumped) this.jumps.inc();
    if (gap > STALL_MS) this.noteLength(gap);
    if (jumped || gap > STALL_MS) this.remember({ from: this.beatAt, to: now });
    this.beatAt = now;
    this.wallAt = wall;
  }

  private noteLength(gap: number): void {
    this.lastStallMs = gap;
    this.stallCount += 1;
    this.lostSeconds.inc(gap / 1000);
  }

  private remember(stall: Stall): void {
    this.recent.push(stall);
    if (this.recent.length > REMEMBERED) this.recent.shift();
  }
}
