import { eventually } from '../../../packages/testing/eventually';
import { PostgresCluster } from '../database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, type Surroundings } from './service-process';

/** The setup for a fault test: a separate PostgreSQL server, a witness that reads from it, and services that use it. */
export class FaultBench {
  private readonly services: ServiceProcess[] = [];
  private readonly kept: { close(): Promise<void> }[] = [];

  private constructor(
    readonly cluster: PostgresCluster,
    readonly witness: DatabaseWitness,
  ) {}

  /** Throws if PostgreSQL isn't installed. Builds the service if needed. */
  static async open(): Promise<FaultBench> {
    buildService();
    const cluster = await PostgresCluster.start();
    return new FaultBench(cluster, DatabaseWitness.on(cluster.url));
  }

  /** Closes the resource along with the bench, after the services have stopped. */
  keep<T extends { close(): Promise<void> }>(thing: T): T {
    this.kept.push(thing);
    return thing;
  }

  /**
   * Starts a service and waits until it is listening. `databaseUrl` is the service's database URL, if it isn't the
   * direct one.
   */
  async start(
    env: Readonly<Record<string, string>> = {},
    { databaseUrl = this.cluster.url, ...surroundings }: Surroundings & { databaseUrl?: string } = {},
  ): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(databaseUrl, env, surroundings);
    this.services.push(service);
    return service;
  }

  /**
   * Waits until this many endpoints each have a check that started after this call. Returns how many milliseconds it
   * took.
   */
  async allChecked(endpoints: number): Promise<number> {
    const began = performance.now();
    const [{ now } = { now: '' }] = await this.witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const newer = 'SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz';
    const areAll = async () => (await this.witness.count(newer, [now])) === endpoints;
    await eventually('all are checked', areAll, 60_000);
    return performance.now() - began;
  }

  clear(): Promise<void> {
    return this.witness.clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.kill()));
    await this.witness.close();
    for (const thing of this.kept) await thing.close();
    await this.cluster.remove();
  }
}
