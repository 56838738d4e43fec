import type { INestApplicationContext } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ConsistencyJob } from '../../../src/alert/consistency/consistency.job';
import { BackgroundJob } from '../../../src/platform/jobs/background-job';
import { eventually } from '../../../packages/testing/eventually';

/** Returns the consistency job without its timer. No check is running, and none starts unless the test starts it. */
export async function consistencyByHand(app: INestApplicationContext): Promise<ConsistencyJob> {
  await app.get(SchedulerRegistry).getCronJob('consistency-check').stop();
  const consistency = app.get(ConsistencyJob);
  const job = Reflect.get(consistency, 'job') as BackgroundJob;
  await eventually('no consistency check is running', () => Reflect.get(job, 'current') === null);
  return consistency;
}
