import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/database-clock';
import { CheckRecorder } from '../record/check-recorder';
import { pauseFor } from './row-rules';

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
