import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/database-clock';
import { CheckRecorder } from '../record/check-recorder';
import { SECOND_MS } from '../../platform/time/time-units';

/**
 * The value is cached for this long, because calculating how far the recorder is behind scans everything that waits.
 */
const KNOWN_FOR_MS = 100;

/** The values in every response to a probe: the current time, and how long not to send anything. */
@Injectable()
export class ReplyTimes {
  private pause: number | null = 0;
  private knownUntil = -Infinity;

  constructor(
    private readonly clock: DatabaseClock,
    private readonly recorder: CheckRecorder,
  ) {}

  /** The current time according to the database's clock. */
  get now(): Date {
    return this.clock.now();
  }

  /** The pause in milliseconds, or `null` while no results are accepted. */
  get pauseMs(): number | null {
    const now = this.clock.monotonic();
    if (now < this.knownUntil) return this.pause;
    this.knownUntil = now + KNOWN_FOR_MS;
    return (this.pause = pauseFor(this.recorder.lagMs));
  }
}

/** If the recorder is behind by more than this, no more results are accepted. */
const MOST_BEHIND_MS = 2 * SECOND_MS;
/** If it is behind by more than this, probes send less often. A smaller delay is normal. */
const USUAL_MS = 1200;
export const LONGEST_PAUSE_MS = 5 * SECOND_MS;

/**
 * Returns how long a probe should wait before it sends anything, in milliseconds, given the age of the oldest result
 * that waits to be recorded. Returns `null` if no results are accepted now.
 */
export function pauseFor(lagMs: number): number | null {
  if (lagMs > MOST_BEHIND_MS) return null;
  return lagMs <= USUAL_MS ? 0 : Math.round(((lagMs - USUAL_MS) / (MOST_BEHIND_MS - USUAL_MS)) * LONGEST_PAUSE_MS);
}
