import { buildService } from './child-service';
import { eventually } from '../app/poll';
import { PostgresCluster } from '../database/postgres-cluster';
import { DatabaseWitness, ServiceProcess, type Surroundings } from './service-process';

/** What a fault test stands on: a PostgreSQL of its own, somebody who looks into it, and services that are at work on it. */
export class FaultBench {
  private readonly services: ServiceProcess[] = [];
  private readonly kept: { close(): Promise<void> }[] = [];

  private constructor(
    readonly cluster: PostgresCluster,
    readonly witness: DatabaseWitness,
  ) {}

  /** Throws when PostgreSQL is not installed. Builds the service when it is not built. */
  static async open(): Promise<FaultBench> {
    buildService();
    const cluster = await PostgresCluster.start();
    return new FaultBench(cluster, DatabaseWitness.on(cluster.url));
  }

  /** Closes it with the bench, once the services have ended. */
  keep<T extends { close(): Promise<void> }>(thing: T): T {
    this.kept.push(thing);
    return thing;
  }

  /** A service, resolved once it listens; `databaseUrl`: how it reaches the database, when not directly. */
  async start(
    env: Readonly<Record<string, string>> = {},
    { databaseUrl = this.cluster.url, ...surroundings }: Surroundings & { databaseUrl?: string } = {},
  ): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(databaseUrl, env, surroundings);
    this.services.push(service);
    return service;
  }

  /** Every one of that many endpoints has a check that began after this call; how long that took, in milliseconds. */
  async allChecked(endpoints: number): Promise<number> {
    const began = performance.now();
    const [{ now } = { now: '' }] = await this.witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const newer = 'SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz';
    const areAll = async () => (await this.witness.count(newer, [now])) === endpoints;
    await eventually('all are checked', areAll, 60_000);
    return performance.now() - began;
  }

  /** Takes away all that is watched, with its history. */
  async clear(): Promise<void> {
    await this.witness.query('DELETE FROM website');
    await this.witness.query('DELETE FROM check_result');
  }

  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.kill()));
    await this.witness.close();
    for (const thing of this.kept) await thing.close();
    await this.cluster.remove();
  }
}
