import { Logger } from '@nestjs/common';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { Clock } from '../time/clock';
import { BackgroundJobs } from './background-job';

/** Work that runs until the test ends it. */
class Work {
  runs = 0;
  private end: { resolve: () => void; reject: (error: Error) => void } | null = null;

  readonly run = (): Promise<void> => {
    this.runs += 1;
    return new Promise((resolve, reject) => {
      this.end = { resolve, reject };
    });
  };

  finish(): void {
    this.end?.resolve();
  }

  fail(error = new Error('no connection')): void {
    this.end?.reject(error);
  }
}

describe('BackgroundJob', () => {
  const metrics = new Metrics();
  const logged: string[] = [];
  let work: Work;

  class NovemberClock extends Clock {
    override now(): Date {
      return new Date('2026-11-20T10:00:00Z');
    }
  }

  const jobsOf = (role: Config['role'], registry = new Metrics()) =>
    new BackgroundJobs(Object.assign(new Config(), { role }), new NovemberClock(), registry);

  beforeEach(() => {
    work = new Work();
    logged.length = 0;
    for (const level of ['log', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((...[text]: unknown[]) => {
        logged.push(`${level}: ${String(text).split('\n')[0]}`);
      });
  });
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['runs a worker job with ROLE=all', 'all', undefined, 1],
    ['runs a worker job with ROLE=worker', 'worker', 'worker', 1],
    ['does not run a worker job with ROLE=api', 'api', undefined, 0],
    ['runs a job of any role with ROLE=api', 'api', 'any', 1],
  ] as const)('%s', async (_, role, jobRole, runs) => {
    const job = jobsOf(role).create({ name: 'test', run: work.run, ...(jobRole && { role: jobRole }) });
    const ticking = job.tick();
    work.finish();
    await ticking;
    expect(work.runs).toBe(runs);
  });

  it('ignores a tick while it runs, and runs again afterwards', async () => {
    const job = jobsOf('all').create({ name: 'test', run: work.run });
    const first = job.tick();
    await job.tick();
    expect(work.runs).toBe(1);
    work.finish();
    await first;
    const second = job.tick();
    work.finish();
    await second;
    expect(work.runs).toBe(2);
  });

  it('logs the first of several failures and the recovery, and never rejects', async () => {
    const job = jobsOf('all').create({ name: 'audit-retention', run: work.run });
    for (const end of ['fail', 'fail', 'finish', 'finish'] as const) {
      const ticking = job.tick();
      work[end]();
      await ticking;
    }
    expect(logged).toEqual([
      'error: audit-retention failed, will try again: Error: no connection',
      'log: audit-retention works again',
    ]);
  });

  it('survives work that throws before its first await', async () => {
    const job = jobsOf('all').create({
      name: 'test',
      run: () => {
        throw new Error('a bug');
      },
    });
    await job.tick();
    expect(logged).toEqual(['error: test failed, will try again: Error: a bug']);
  });

  it('publishes when a job last succeeded, and nothing for one that only failed', async () => {
    const jobs = jobsOf('all', metrics);
    const [good, bad] = ['good', 'bad'].map((name) => jobs.create({ name, run: work.run }));
    const succeeding = good?.tick();
    work.finish();
    await succeeding;
    const failing = bad?.tick();
    work.fail();
    await failing;
    const text = await metrics.expose();
    expect(text).toContain('uptime_job_last_success_timestamp_seconds{job="good"} 1795168800');
    expect(text).not.toContain('job="bad"');
  });

  it('waits for the current run at shutdown and starts no other', async () => {
    const jobs = jobsOf('all');
    const job = jobs.create({ name: 'test', run: work.run });
    void job.tick();
    let isDrained = false;
    const draining = jobs.beforeApplicationShutdown().then(() => {
      isDrained = true;
    });
    await new Promise(setImmediate);
    expect([isDrained, job.isStopping]).toEqual([false, true]);
    work.finish();
    await draining;
    await job.tick();
    expect(work.runs).toBe(1);
  });

  it('pauses after a run that found nothing to do, until it is woken or the pause is over', async () => {
    const clock = Object.assign(new NovemberClock(), { monotonic: () => at });
    let at = 0;
    let runs = 0;
    const run = (): Promise<void> => {
      runs += 1;
      job.rest();
      return Promise.resolve();
    };
    const job = new BackgroundJobs(new Config(), clock, new Metrics()).create({ name: 'test', run, restMs: 60_000 });
    const runsAt = async (ms: number) => {
      at = ms;
      await job.tick();
      return runs;
    };
    expect([await runsAt(0), await runsAt(5000), await runsAt(59_999), await runsAt(60_000)]).toEqual([1, 1, 1, 2]);
    job.wake();
    expect([await runsAt(65_000), await runsAt(70_000)]).toEqual([3, 3]);
  });

  it('pauses as long as the run says, and not at all if it was woken during the run', async () => {
    const clock = Object.assign(new NovemberClock(), { monotonic: () => at });
    let at = 0;
    let runs = 0;
    let look = (): void => undefined;
    const run = (): Promise<void> => {
      runs += 1;
      look();
      job.rest(10_000);
      return Promise.resolve();
    };
    const job = new BackgroundJobs(new Config(), clock, new Metrics()).create({ name: 'test', run });
    const runsAt = async (ms: number) => {
      at = ms;
      await job.tick();
      return runs;
    };
    expect([await runsAt(0), await runsAt(9999), await runsAt(10_000)]).toEqual([1, 1, 2]);
    look = () => job.wake();
    expect([await runsAt(20_000), await runsAt(20_001)]).toEqual([3, 4]);
  });
});
