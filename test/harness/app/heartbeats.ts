import { eventually } from '../../../packages/testing/eventually';
import { HeartbeatSweep } from '../../../src/heartbeat/heartbeat-sweep.job';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import type { TestApp } from './app';

const DUE_OR_PENDING = 'SELECT FROM heartbeat WHERE pending IS NOT NULL OR next_at <= $1';

/**
 * Evaluates all due heartbeats. The service's own sweep may process a row first, so this repeats until none is due and
 * all are recorded.
 */
export async function sweepHeartbeats({ app }: Pick<TestApp, 'app'>): Promise<void> {
  await eventually('no heartbeat is due or pending', async () => {
    await app.get(HeartbeatSweep).run();
    const left = await app.get(Database).query(DUE_OR_PENDING, [app.get(DatabaseClock).now()]);
    return left.length === 0;
  });
}
