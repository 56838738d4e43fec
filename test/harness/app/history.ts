import { DataSource } from 'typeorm';
import type { CheckResult, ErrorCode, Outcome } from '../../../src/checker/checker';
import { HistoryMetrics } from '../../../src/history/history.metrics';
import { HistoryRetention } from '../../../src/history/retention/history-retention';
import { HistoryWriter } from '../../../src/history/write/history-writer';
import { Partitions } from '../../../src/history/write/partitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { RollupJob } from '../../../src/history/rollup/rollup.job';
import { RollupSteps } from '../../../src/history/rollup/rollup-steps';
import { StatsReader } from '../../../src/history/read/stats-reader';
import { SecretBox } from '../../../src/platform/secrets/secret-box';
import { SecretKeysCheck } from '../../../src/platform/secrets/secret-keys-check';
import { ServerSecrets } from '../../../src/platform/secrets/server-secrets';
import { Config } from '../../../src/platform/config/config';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { newUuid } from '../../../src/platform/ids/id';
import { BackgroundJobs } from '../../../src/platform/jobs/background-job';
import { Metrics } from '../../../src/platform/observability/metrics';
import { Clock } from '../../../src/platform/time/clock';
import { freshDatabase, type TestDatabase } from '../database/database';

/** A clock that moves only when it is set. */
export class StoppedClock extends Clock {
  constructor(public at: Date) {
    super();
  }

  override now(): Date {
    return this.at;
  }
}

/** The history module's classes on a separate database, without the rest of the application. */
export class HistoryBench {
  private constructor(
    readonly database: WorkerDatabase,
    readonly clock: StoppedClock,
    readonly config: Config,
    readonly partitions: Partitions,
    readonly writer: HistoryWriter,
    readonly rollup: RollupJob,
    readonly retention: HistoryRetention,
    readonly stats: StatsReader,
    readonly secrets: ServerSecrets,
    readonly close: () => Promise<void>,
  ) {}

  /** Opens a migrated, empty database: the given one, or a new one. */
  static async open(now: Date, given?: TestDatabase): Promise<HistoryBench> {
    const fresh = given ?? (await freshDatabase());
    const server = await DatabaseServer.open({ databaseUrl: fresh.url, dataDir: '' });
    await server.migrate();
    const source = await new DataSource(
      dataSourceOptions(server.target, { size: 5, name: 'history test', queryTimeoutMs: 30_000 }),
    ).initialize();
    const database = new WorkerDatabase(source);
    const clock = new StoppedClock(now);
    const config = new Config();
    const box = new SecretBox(config);
    const secrets = new ServerSecrets(database, box, new SecretKeysCheck(database, box));
    await secrets.onModuleInit();
    const partitions = new Partitions(database, clock);
    const steps = new RollupSteps(database, clock, config);
    const metrics = new Metrics();
    return new HistoryBench(
      database,
      clock,
      config,
      partitions,
      new HistoryWriter(partitions, secrets),
      new RollupJob(
        steps,
        clock,
        new HistoryMetrics(metrics, config, clock),
        new BackgroundJobs(config, clock, metrics),
        server,
      ),
      new HistoryRetention(database, partitions, clock, config),
      new StatsReader(database),
      secrets,
      async () => {
        await source.destroy();
        await server.close();
        await fresh.drop();
      },
    );
  }

  /** Adds an organization with one website and `count` endpoints. Returns the endpoints' IDs and history keys. */
  async addEndpoints(count: number): Promise<{ id: string; key: string }[]> {
    const [orgId, websiteId] = [newUuid(), newUuid()];
    await this.database.query(`INSERT INTO organization (id, name) VALUES ($1, 'Test')`, [orgId]);
    await this.database.query(`INSERT INTO website (id, org_id, name, url) VALUES ($1, $2, 'Site', 'http://a.test/')`, [
      websiteId,
      orgId,
    ]);
    return this.database.query<{ id: string; key: string }>(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT id, $2, $3, 'Endpoint', 'http://a.test/', 'HTTP' FROM unnest($1::uuid[]) AS e (id) RETURNING id, key`,
      [Array.from({ length: count }, () => newUuid()), orgId, websiteId],
    );
  }

  /** Writes a batch in one transaction, like the recorder does. */
  write(checks: readonly FinishedCheck[]): Promise<void> {
    return this.database.transaction((tx) => this.writer.write(tx, checks));
  }

  /** Resets the rollups to that hour, with no late hours, so that everything since then is rebuilt. */
  async restartRollupsAt(hour: Date): Promise<void> {
    await this.database.query('DELETE FROM history_late');
    await this.database.query(`UPDATE history_progress SET done_until = $1, after_key = 0 WHERE name = 'hour'`, [hour]);
    await this.database.query(
      `UPDATE history_progress SET done_until = date_trunc('day', $1::timestamptz, 'UTC'), after_key = 0 WHERE name = 'day'`,
      [hour],
    );
  }
}

/**
 * Returns a finished check with a plausible result. `change` overrides parts of it. `code` is the error code for a
 * failed check.
 */
export function recorded(
  endpoint: { id: string; key: string },
  checkedAt: Date,
  outcome: Outcome,
  durationMs: number,
  change: Partial<CheckResult> & { code?: ErrorCode } = {},
): FinishedCheck {
  const { code = 'connection_refused', ...result } = change;
  return {
    endpointKey: endpoint.key,
    endpointId: endpoint.id,
    orgId: '',
    location: 0,
    revision: 1,
    slotMs: null,
    checkedAt,
    attempts: 1,
    firstError: null,
    planned: false,
    muted: false,
    result: {
      outcome,
      durationMs,
      phases: {
        dnsMs: durationMs / 4,
        connectMs: durationMs / 4,
        tlsMs: null,
        firstByteMs: durationMs / 2,
        transferMs: 0,
      },
      statusCode: outcome === 'up' ? 200 : null,
      address: '192.0.2.1',
      certificate: null,
      records: null,
      redirects: [],
      error: outcome === 'up' ? null : { code, phase: 'connect', message: 'The connection was refused.' },
      warning: null,
      ...result,
    },
  };
}
