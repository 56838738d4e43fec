import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** The service's source of time. Tests replace it to skip hours. */
@Injectable()
export class Clock {
  /** The wall clock, for times that are shown or stored. Never use it to measure. */
  now(): Date {
    return new Date();
  }

  /** Milliseconds since process start, with fractions. Never jumps. */
  monotonic(): number {
    return performance.now();
  }

  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
  }
}
