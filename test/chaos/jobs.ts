import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Sql } from '../../src/platform/database/database';
import type { Api } from '../../packages/testing/service/api';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import type { Fleet } from './fleet';
import { HEARTBEAT, type SentPing, type StoredJob } from './ping-properties';

/** The website of all jobs, which isn't part of the model. */
export const JOBS = 'jobs';
const COUNT = 4;
/** A heartbeat accepts one ping a second. */
const PAUSE_MS = 1500;
const TIMEOUT_MS = 20_000;
/** Half of the jobs go missing, each time for longer than their period. */
const VANISHES = { every: 30, at: 5, forMs: 70_000 };

// One snapshot, in which everything committed but not recorded is pending.
const STORED = `
  SELECT e.name AS job, coalesce(h.pending, '[]') AS pending,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('at', extract(epoch FROM p.created_at) * 1000, 'kind', p.kind, 'run', p.run_id,
                                                       'marker', p.body) ORDER BY p.created_at), '[]')
            FROM ping p WHERE p.endpoint_key = e.key) AS pings,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('at', extract(epoch FROM r.checked_at) * 1000, 'outcome', r.outcome & 3,
                                                       'error', r.error) ORDER BY r.checked_at), '[]')
            FROM check_result r WHERE r.endpoint_key = e.key) AS checks
    FROM endpoint e JOIN heartbeat h ON h.endpoint_id = e.id`;

export const readJobs = (sql: Sql): Promise<StoredJob[]> => sql.query<StoredJob>(STORED);

/**
 * Jobs that send pings to any running instance, through all faults: success, failure, start, or nothing for a while.
 */
export class Jobs {
  readonly sent: SentPing[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly fleet: Fleet,
    private readonly seed: number,
  ) {}

  /** Creates the jobs on a healthy instance. Each one continues until `stop`. */
  async start(api: Api): Promise<void> {
    const website = await newWebsite(api, JOBS);
    const addresses: string[] = [];
    for (let index = 0; index < COUNT; index++) {
      const fields = { name: `job-${index}`, url: undefined, type: 'HEARTBEAT', heartbeat: HEARTBEAT };
      const { body } = await api.get<{ heartbeat: { ping_id: string } }>(
        `/endpoints/${await newEndpoint(api, website, fields)}`,
      );
      addresses.push(`/ping/${body.heartbeat.ping_id}`);
    }
    this.running = Promise.all(addresses.map((address, index) => this.run(index, address)));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(index: number, address: string): Promise<void> {
    const chances = fc.sample(fc.noBias(fc.nat(99)), { seed: this.seed ^ index, numRuns: 1000 });
    const { signal } = this.stopping;
    for (let step = 0; !signal.aborted; step++) {
      const chance = chances[step % chances.length] ?? 0;
      const job = `job-${index}`;
      const rid = `?rid=${randomUUID()}`;
      if (chance < 65) await this.ping(job, address);
      else if (chance < 75) await this.ping(job, `${address}/3`);
      else await this.ping(job, `${address}/start${rid}`);
      if (chance >= 85) await this.ping(job, `${address}${rid}`);
      const isAway = index % 2 === 1 && step % VANISHES.every === VANISHES.at;
      await delay(isAway ? VANISHES.forMs : PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  private async ping(job: string, path: string): Promise<void> {
    const ping: SentPing = { job, marker: `${job} ${this.sent.length}`, acknowledged: false };
    this.sent.push(ping);
    const { running } = this.fleet;
    const url = running[this.sent.length % Math.max(1, running.length)]?.url;
    if (url === undefined) return;
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.stopping.signal]);
    ping.acknowledged = await fetch(`${url}${path}`, { method: 'POST', body: ping.marker, signal }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}
