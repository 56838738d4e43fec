import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../../packages/testing/service/api';
import { eventually } from '../../packages/testing/eventually';
import { ServiceProcess } from '../harness/processes/service-process';
import type { Fact } from './recording';
import type { Surroundings } from './workload';

const LIMIT_MS = 60_000;
const NOTHING_PENDING = /^uptime_deliveries_pending(\{[^}]*\})? 0$/m;

/** The output of a service that was started on a disk, and its faults. */
export interface ServiceRun {
  readonly told: readonly Fact[];
  readonly wrong: readonly string[];
  /** All deliveries that were created before this time were sent. */
  readonly settledAt: Date;
}

/**
 * Runs the built service on a disk until it has sent all pending messages, and stops it. It must start, know the
 * first admin key and every website that a client saw, and deliver.
 */
export async function runService(directory: string, facts: readonly Fact[], around: Surroundings): Promise<ServiceRun> {
  const told: Fact[] = [];
  around.onEvent((fact) => told.push(fact));
  // Without a key in the environment, a first start writes one to its file.
  const env = { DATA_DIR: directory, EGRESS_PRIVATE: 'allow', BOOTSTRAP_API_KEY: '' };
  const service = await ServiceProcess.start('', env);
  try {
    const wrong: string[] = [];
    if (facts.length > 0) {
      const key = readFileSync(join(directory, 'bootstrap-api-key'), 'utf8').trim();
      const { status } = await new Api(service.url, key).get('/websites');
      if (status !== 200) wrong.push(`the first admin key gets ${status}`);
    }
    await eventually('the service is ready', async () => (await service.readiness()) === 200, LIMIT_MS);
    const settledAt = await eventually(
      'nothing is pending',
      async () => {
        const now = new Date();
        const metrics = await fetch(`${service.url}/metrics`);
        return NOTHING_PENDING.test(await metrics.text()) && now;
      },
      LIMIT_MS,
    );
    service.signal('SIGTERM');
    const end = await service.ended();
    if (end !== 0) wrong.push(`the service ended with ${end}`);
    return { told, wrong, settledAt };
  } finally {
    await service.kill();
    around.onEvent(() => {});
  }
}
