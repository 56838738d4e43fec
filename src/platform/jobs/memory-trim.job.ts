import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE_MS } from '../time/time-units';
import { type BackgroundJob, BackgroundJobs } from './background-job';

/** `malloc_trim` takes the number of bytes to keep free at the end of the heap, which is 0 here. */
type Trim = (keepBytes: number) => unknown;

interface Koffi {
  load(path: null): { func(declaration: string): Trim };
}

/**
 * Returns freed memory to the system once a minute, which takes 1 to 3 ms. Otherwise glibc would keep it, about a
 * quarter of the process's memory. Most of it is left over from compiling and unpacking at startup (measured in
 * docs/decisions/0049-two-small-helpers.md). The job doesn't exist on other systems (musl, macOS, Windows) or without
 * the optional package koffi.
 */
@Injectable()
export class MemoryTrimJob {
  private readonly job: BackgroundJob | null;

  constructor(jobs: BackgroundJobs) {
    const trim = process.platform === 'linux' ? loadTrim() : null;
    const run = (): Promise<void> => Promise.resolve(void trim?.(0));
    this.job = trim && jobs.create({ name: 'memory-trim', role: 'any', run });
  }

  @Interval(MINUTE_MS)
  async tick(): Promise<void> {
    await this.job?.tick();
  }
}

function loadTrim(): Trim | null {
  try {
    // oxlint-disable-next-line typescript/no-require-imports -- an optional package must be loaded lazily.
    const koffi: Koffi = require('koffi');
    return koffi.load(null).func('int malloc_trim(size_t keepBytes)');
  } catch {
    return null;
  }
}
