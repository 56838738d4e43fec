import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** The service's source of time. Tests replace it to move through hours. */
@Injectable()
export class Clock {
  /** Wall clock: for times that are shown or stored, never for measuring. */
  now(): Date {
    return new Date();
  }

  /** Milliseconds since process start, with fractions; never jumps. */
  monotonic(): number {
    return performance.now();
  }

  /** Resolves after `ms`, or as soon as `signal` aborts; never rejects. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
  }
}
