import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AlertMetrics } from '../../../src/alert/alert.metrics';
import { AlertEvaluator } from '../../../src/alert/episode/alert-evaluator';
import type { AlertCondition } from '../../../src/alert-rule/alert-rule';
import { type AlertEventRow } from '../../../src/alert/episode/episode';
import { AlertLifecycle } from '../../../src/alert/episode/alert-lifecycle';
import { IncidentAdoption } from '../../../src/incident/incident-adoption';
import { IncidentMetrics } from '../../../src/incident/incident.metrics';
import { IncidentRecorder } from '../../../src/incident/incident-recorder';
import { MissingDestinations } from '../../../src/alert/consistency/missing-destinations';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { EpisodeRecorder } from '../../../src/alert/episode/episode-recorder';
import { Outbox } from '../../../src/delivery/outbox';
import { ownerOf, SealedConfigs } from '../../../src/delivery/config/sealed-config';
import type { Notification } from '../../../src/channel/notification';
import { ChannelModule } from '../../../src/channel/channel.module';
import type { LocationSeen, StreakUpdate } from '../../../src/endpoint/streak-update';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { Database, type Tx, WorkerDatabase } from '../../../src/platform/database/database';
import { DatabaseModule } from '../../../src/platform/database/database.module';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { EventsModule } from '../../../src/platform/events/events.module';
import { ObservabilityModule } from '../../../src/platform/observability/observability.module';
import { newUuid, parseId } from '../../../src/platform/ids/id';
import { SecretsModule } from '../../../src/platform/secrets/secrets.module';
import { ProbeDirectory } from '../../../src/probe/probe-directory';
import { TimeModule } from '../../../src/platform/time/time.module';
import { freshDatabase } from '../database/database';

/** F fails, S succeeds, D is degraded (up with a warning), and ? is unknown. */
export type Result = 'F' | 'S' | 'D' | '?';

/**
 * One result in a batch. `muted` is set the way the recorder sets it. By default, all results come from one address.
 */
export interface Reported {
  endpointId: string;
  result: Result;
  muted?: boolean;
  address?: string;
  /** The result at each location, if there are several. */
  locations?: readonly LocationSeen[];
}

/** The columns in `alert` that tests read. */
export interface StoredAlert {
  id: string;
  endpoint_id: string;
  enabled: boolean;
  triggered: boolean;
  incident_no: number;
  trigger_event_id: string | null;
  incident_started_at: Date | null;
}

/** The columns in `notification` that tests read. */
export interface StoredDelivery {
  event_id: string;
  kind: string;
  incident_no: number;
  state: string;
  notification: Pick<Notification, 'id' | 'incidentKey' | 'triggerId' | 'locations'>;
}

/** The rule for an alert that a test creates. */
export interface NewAlert {
  failureThreshold: number;
  successThreshold: number;
  sendOnResolved?: boolean;
  condition?: AlertCondition;
  /** In seconds. */
  after?: number;
  remindEvery?: number;
}

/**
 * The part of the service that turns checks into events. It runs on a real database, without routes and background
 * loops.
 */
export class Alerting {
  private constructor(
    private readonly module: INestApplicationContext,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** Uses a running application, which the caller must close. */
  static of(app: INestApplicationContext): Alerting {
    return new Alerting(app, async () => {});
  }

  /** Starts on a new database, unless the settings specify one. */
  static async start(overrides: Partial<Config> = {}): Promise<Alerting> {
    const fresh = 'databaseUrl' in overrides ? { url: null, drop: async () => {} } : await freshDatabase();
    const config = Object.assign(new Config(), { databaseUrl: fresh.url, ...overrides });
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot(),
        TimeModule,
        EventsModule,
        SecretsModule,
        ChannelModule,
        ObservabilityModule,
      ],
      providers: [
        AlertMetrics,
        AlertEvaluator,
        AlertLifecycle,
        EpisodeRecorder,
        ProbeDirectory,
        IncidentRecorder,
        IncidentAdoption,
        IncidentMetrics,
        MissingDestinations,
        SealedConfigs,
        Outbox,
        DatabaseClock,
      ],
    }).compile();
    module.useLogger(false);
    try {
      return new Alerting(await module.init(), () => fresh.drop());
    } catch (error) {
      await disconnect(module);
      await fresh.drop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.module.close();
    await this.dropDatabase();
  }

  get database(): Database {
    return this.module.get(Database);
  }

  get evaluator(): AlertEvaluator {
    return this.module.get(AlertEvaluator);
  }

  /** For providers that have no getter here. */
  get nest(): INestApplicationContext {
    return this.module;
  }

  get lifecycle(): AlertLifecycle {
    return this.module.get(AlertLifecycle);
  }

  async organization(): Promise<string> {
    const id = newUuid();
    await this.database.query(`INSERT INTO organization (id, name) VALUES ($1, 'Test')`, [id]);
    return id;
  }

  async endpoint(orgId: string, name = 'Checkout API'): Promise<string> {
    const [websiteId, id] = [newUuid(), newUuid()];
    await this.database.query(
      `INSERT INTO website (id, org_id, name, url) VALUES ($1, $2, 'Shop', 'https://shop.test')`,
      [websiteId, orgId],
    );
    await this.database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       VALUES ($1, $2, $3, $4, 'https://shop.test/checkout', 'HTTPS')`,
      [id, orgId, websiteId, name],
    );
    await this.database.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = $1',
      [id],
    );
    return id;
  }

  /** Creates `count` endpoints, each with an alert and a separate website. All of them share one address. */
  async endpoints(orgId: string, count: number, rule: NewAlert): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const id = await this.endpoint(orgId, `Endpoint ${n}`);
      await this.alert(orgId, id, rule);
      ids.push(id);
    }
    return ids;
  }

  async alert(orgId: string, endpointId: string, rule: NewAlert): Promise<string> {
    const id = newUuid();
    const config = this.module
      .get(SealedConfigs)
      .seal(ownerOf(id, null), { webhook_url: 'https://hooks.slack.test/services/T/B/x' });
    await this.database.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config, failure_threshold, success_threshold, send_on_resolved)
       VALUES ($1, $2, $3, 'slack', $4, $5, $6, $7)`,
      [id, orgId, endpointId, config, rule.failureThreshold, rule.successThreshold, rule.sendOnResolved ?? true],
    );
    // A separate statement, because older schemas don't have this column.
    if (rule.condition !== undefined)
      await this.database.query('UPDATE alert SET condition = $2 WHERE id = $1', [id, rule.condition]);
    if (rule.after !== undefined || rule.remindEvery !== undefined)
      await this.database.query('UPDATE alert SET after_seconds = $2, remind_every_seconds = $3 WHERE id = $1', [
        id,
        rule.after ?? 0,
        rule.remindEvery ?? null,
      ]);
    return id;
  }

  /**
   * Records a batch of results like the recorder does: locks state rows in ID order, updates and saves streaks, and
   * evaluates alerts. Uses the recorder's pool. A request gives up after waiting two seconds for a row, but a result is
   * kept until it is written.
   */
  check(batch: readonly Reported[], error = 'connection refused', at = new Date()): Promise<StreakUpdate[]> {
    return this.module.get(WorkerDatabase).transaction(async (tx) => {
      const states = await lockStates(tx, [...new Set(batch.map(({ endpointId }) => endpointId))]);
      const updates: StreakUpdate[] = [];
      for (const { endpointId, result, muted = false, address = '192.0.2.1', locations } of batch) {
        const state = states.get(endpointId);
        if (!state) throw new Error(`endpoint ${endpointId} has no state`);
        if (result === '?') continue;
        fold(state, result, muted, at);
        updates.push({ ...updateOf(state, result, muted, at, error), address, ...(locations && { locations }) });
      }
      for (const state of states.values()) await saveState(tx, state);
      await this.evaluator.evaluate(tx, updates);
      return updates;
    });
  }

  /** Records an endpoint's results one at a time, given as `FFS?`. Also accepts the public ID. */
  async play(endpointId: string, results: string, error?: string): Promise<void> {
    const id = parseId('endpoint', endpointId) ?? endpointId;
    for (const result of results) await this.check([{ endpointId: id, result: result as Result }], error);
  }

  /** Records results as if the checks were that far apart, with the last one now. */
  async playEvery(seconds: number, endpointId: string, results: string): Promise<void> {
    const id = parseId('endpoint', endpointId) ?? endpointId;
    const last = Date.now();
    for (const [position, result] of [...results].entries()) {
      const at = new Date(last - (results.length - 1 - position) * seconds * 1000);
      await this.check([{ endpointId: id, result: result as Result }], undefined, at);
    }
  }

  /** Returns the endpoints for which a failure at `at` would trigger an alert. */
  nearTrigger(...endpointIds: string[]): Promise<Set<string>> {
    return this.nearTriggerAt(new Date(), ...endpointIds);
  }

  async nearTriggerAt(checkedAt: Date, ...endpointIds: string[]): Promise<Set<string>> {
    const near = await this.evaluator.nearTrigger(
      this.database,
      endpointIds.map((endpointId) => ({ endpointId, checkedAt })),
    );
    return new Set(near.keys());
  }

  async alerts(orgId: string): Promise<StoredAlert[]> {
    return this.database.query<StoredAlert>('SELECT * FROM alert WHERE org_id = $1 ORDER BY id', [orgId]);
  }

  async events(alertId: string): Promise<AlertEventRow[]> {
    return this.database.query<AlertEventRow>('SELECT * FROM alert_event WHERE alert_id = $1 ORDER BY id', [alertId]);
  }

  async deliveries(alertId: string): Promise<StoredDelivery[]> {
    return this.database.query<StoredDelivery>(
      'SELECT *, notice AS notification FROM notification WHERE alert_id = $1 ORDER BY seq',
      [alertId],
    );
  }
}

/** Nest doesn't close what a failed start has opened. */
async function disconnect(module: INestApplicationContext): Promise<void> {
  for (const { dataSource } of [module.get(WorkerDatabase), module.get(Database)]) await dataSource.destroy();
  await module.get(DatabaseServer).close();
}

interface State {
  endpointId: string;
  orgId: string;
  status: number;
  failures: number;
  successes: number;
  bad: number;
  good: number;
  /** The time of the first unmuted check in the current failure streak. */
  failingSince: Date | null;
  badSince: Date | null;
  upSince: Date | null;
  goodSince: Date | null;
}

async function lockStates(tx: Tx, endpointIds: readonly string[]): Promise<Map<string, State>> {
  const rows = await tx.query<State>(
    `SELECT endpoint_id AS "endpointId", org_id AS "orgId", status, consecutive_failures AS failures,
       consecutive_successes AS successes, consecutive_bad AS bad, consecutive_good AS good,
       failing_unmuted_since AS "failingSince", bad_unmuted_since AS "badSince",
       up_since AS "upSince", good_since AS "goodSince"
     FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY endpoint_id FOR UPDATE`,
    [endpointIds],
  );
  return new Map(rows.map((row) => [row.endpointId, row]));
}

async function saveState(tx: Tx, state: State): Promise<void> {
  await tx.query(
    `UPDATE endpoint_state SET status = $2, consecutive_failures = $3, consecutive_successes = $4, consecutive_bad = $5,
       consecutive_good = $6, failing_since = $7, failing_unmuted_since = $7, bad_unmuted_since = $8, up_since = $9, good_since = $10,
       last_checked_at = COALESCE(last_checked_at, now())
     WHERE endpoint_id = $1`,
    [
      state.endpointId,
      state.status,
      state.failures,
      state.successes,
      state.bad,
      state.good,
      state.failingSince,
      state.badSince,
      state.upSince,
      state.goodSince,
    ],
  );
}

/** Updates the streaks with a result, like the recorder does. */
function fold(state: State, result: Exclude<Result, '?'>, muted: boolean, at: Date): void {
  const [isDown, isBad] = [result === 'F', result !== 'S'];
  state.status = isDown ? 0 : 1;
  state.failures = isDown ? state.failures + 1 : 0;
  state.successes = isDown ? 0 : state.successes + 1;
  state.bad = isBad ? state.bad + 1 : 0;
  state.good = isBad ? 0 : state.good + 1;
  state.failingSince = isDown && !muted ? (state.failingSince ?? at) : null;
  state.badSince = isBad && !muted ? (state.badSince ?? at) : null;
  state.upSince = isDown ? null : (state.upSince ?? at);
  state.goodSince = isBad ? null : (state.goodSince ?? at);
}

const updateOf = (
  state: State,
  result: Exclude<Result, '?'>,
  muted: boolean,
  checkedAt: Date,
  message: string,
): Omit<StreakUpdate, 'address'> => ({
  orgId: state.orgId,
  endpointId: state.endpointId,
  outcome: result === 'F' ? 'down' : 'up',
  consecutiveFailures: state.failures,
  consecutiveSuccesses: state.successes,
  degraded: result === 'D',
  consecutiveBad: state.bad,
  consecutiveGood: state.good,
  failingSince: state.failingSince,
  badSince: state.badSince,
  upSince: state.upSince,
  goodSince: state.goodSince,
  muted,
  checkedAt,
  durationMs: 12.5,
  statusCode: result === 'F' ? null : 200,
  error: result === 'F' ? { code: 'connection_refused', message } : null,
  warning: result === 'D' ? { code: 'assertion_failed', message: 'the certificate expires in 10 days' } : null,
});
