import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** The service's time source. Tests replace it to skip hours. */
@Injectable()
export class Clock {
  /** Returns the wall clock's time, for times that are shown or stored. Never use it to measure durations. */
  now(): Date {
    return new Date();
  }

  /** Returns the milliseconds since the process started, with fractions. Never jumps. */
  monotonic(): number {
    return performance.now();
  }

  /** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
  }
}
