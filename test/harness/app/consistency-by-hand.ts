import type { INestApplicationContext } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ConsistencyJob } from '../../../src/alert/consistency/consistency.job';
import { eventually } from './poll';

/** The auditor, without its audit of every minute: none is running and none begins but by the test. */
export async function consistencyByHand(app: INestApplicationContext): Promise<ConsistencyJob> {
  await app.get(SchedulerRegistry).getCronJob('alert-audit').stop();
  const auditor = app.get(ConsistencyJob);
  await eventually('no audit is running', () => Reflect.get(auditor, 'running') === false);
  return auditor;
}
