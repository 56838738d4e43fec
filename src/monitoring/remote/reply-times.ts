import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/database-clock';
import { CheckRecorder } from '../record/check-recorder';
import { SECOND_MS } from '../../platform/time/time-units';

/** To know how far the recorder is behind costs a walk over all that waits. */
const KNOWN_FOR_MS = 100;

/** What every response to a probe says: what time it is, and how long to send nothing. */
@Injectable()
export class ReplyTimes {
  private pause: number | null = 0;
  private knownUntil = -Infinity;

  constructor(
    private readonly clock: DatabaseClock,
    private readonly recorder: CheckRecorder,
  ) {}

  /** By the database's clock. */
  get now(): Date {
    return this.clock.now();
  }

  /** Milliseconds; `null` while no results are taken. */
  get pauseMs(): number | null {
    const now = this.clock.monotonic();
    if (now < this.knownUntil) return this.pause;
    this.knownUntil = now + KNOWN_FOR_MS;
    return (this.pause = pauseFor(this.recorder.lagMs));
  }
}

/** The recorder is so far behind that it takes no more. */
const MOST_BEHIND_MS = 2 * SECOND_MS;
/** And before that the probe is asked to come more seldom: what is behind by less is usual. */
const USUAL_MS = 1200;
export const LONGEST_PAUSE_MS = 5 * SECOND_MS;

/** Milliseconds for which a probe should send nothing, by how old the oldest result is that waits to be recorded; `null`: nothing is taken now. */
export function pauseFor(lagMs: number): number | null {
  if (lagMs > MOST_BEHIND_MS) return null;
  return lagMs <= USUAL_MS ? 0 : Math.round(((lagMs - USUAL_MS) / (MOST_BEHIND_MS - USUAL_MS)) * LONGEST_PAUSE_MS);
}
