import { Config } from '../config/config';
import type { DatabaseServer } from '../database/database-server';
import type { EmbeddedMaintenance } from '../database/embedded/embedded-maintenance';
import { Metrics } from '../observability/metrics';
import { Clock } from '../time/clock';
import { MINUTE_MS } from '../time/time-units';
import { BackgroundJobs } from './background-job';
import { EmbeddedMaintenanceJob } from './embedded-maintenance.job';

class SteppedClock extends Clock {
  elapsedMs = 0;

  override monotonic(): number {
    return this.elapsedMs;
  }
}

/** Returns the steps that ran in each minute of two hours: `c` for checkpoint, `h` for hot tables, and `f` for full vacuum. */
async function stepsOf(server: { isEmbedded: boolean }): Promise<string[]> {
  const clock = new SteppedClock();
  let steps = '';
  const step = (name: string) => (): Promise<void> => {
    steps += name;
    return Promise.resolve();
  };
  const maintenance = { checkpoint: step('c'), vacuumHotTables: step('h'), vacuumAll: step('f') };
  const job = new EmbeddedMaintenanceJob(
    server as DatabaseServer,
    maintenance as unknown as EmbeddedMaintenance,
    clock,
    new BackgroundJobs(new Config(), clock, new Metrics()),
  );
  const minutes: string[] = [];
  for (let minute = 0; minute < 120; minute++) {
    clock.elapsedMs += MINUTE_MS;
    steps = '';
    await job.tick();
    minutes.push(steps);
  }
  return minutes;
}

describe('EmbeddedMaintenanceJob', () => {
  it('makes a checkpoint every minute, and vacuums hot tables every three minutes and every table every hour', async () => {
    const expected = Array.from({ length: 120 }, (_, i) => {
      const minute = i + 1;
      return `c${minute % 3 === 0 ? 'h' : ''}${minute % 60 === 0 ? 'f' : ''}`;
    });
    expect(await stepsOf({ isEmbedded: true })).toEqual(expected);
  });

  it('does nothing with a PostgreSQL server', async () => {
    expect(new Set(await stepsOf({ isEmbedded: false }))).toEqual(new Set(['']));
  });
});
