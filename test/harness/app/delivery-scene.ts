import type { NestExpressApplication } from '@nestjs/platform-express';
import { DeliveryLoop } from '../../../src/delivery/send/delivery-loop';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import { ownerOf, SealedConfigs } from '../../../src/delivery/config/sealed-config';
import type { Config } from '../../../src/platform/config/config';
import { Database } from '../../../src/platform/database/database';
import { formatId, type IdKind, newUuid, parseId } from '../../../src/platform/ids/id';
import { Clock } from '../../../src/platform/time/clock';
import { Alerting, type Result } from './alerting';
import { startOwnApp, type TestApp } from './app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';
import { MovingClock } from '../../../packages/testing/service/moving-clock';

/** An alert on a separate endpoint, with UUIDs in addition to the public IDs. */
export interface SceneAlert {
  id: string;
  uuid: string;
  endpointId: string;
  endpointUuid: string;
  websiteId: string;
}

/** The columns in `notification` that tests read. */
export interface OutboxRow {
  id: string;
  event_id: string | null;
  kind: string;
  incident_no: number;
  state: string;
  detail: string | null;
  attempts: number;
  may_have_arrived: boolean;
  next_attempt_at: Date;
  lease_token: string | null;
  config: object | null;
  response_status: number | null;
  error: string | null;
  created_at: Date;
}

/** A delivery as shown by the API. */
export interface Delivery {
  id: string;
  alert_id: string;
  event_id: string | null;
  kind: string;
  ordinal: number | null;
  channel_type: string;
  state: string;
  detail: string | null;
  attempts: number;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  response_status: number | null;
  error: string | null;
  created_at: string;
}

/**
 * Configs that make a channel send to the fake provider. Destinations are distinguished by the last part of the URL.
 */
const CONFIGS: Readonly<Record<string, (url: string) => object>> = {
  webhook: (url) => ({ url }),
  slack: (url) => ({ webhook_url: url }),
  pagerduty: (url) => ({ routing_key: 'a'.repeat(32), api_url: url }),
  twilio: (url) => ({
    account_sid: `AC${'0'.repeat(32)}`,
    auth_token: 'b'.repeat(32),
    from: '+15005550006',
    to: '+15005550001',
    api_url: url,
  }),
};

/** A response that each channel accepts as successful. */
export const ACCEPTED = {
  webhook: { status: 204 },
  slack: { status: 200, body: 'ok' },
  pagerduty: { status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"x"}' },
  twilio: { status: 201, body: '{"sid":"SM1","status":"queued"}' },
} as const;
export type SceneType = keyof typeof ACCEPTED;

/**
 * The whole application with a fake provider to send to and a settable clock. Endpoints are never checked. Tests report
 * the results.
 */
export class DeliveryScene {
  clock: MovingClock;

  private constructor(
    readonly app: TestApp,
    readonly provider: FakeProvider,
    private readonly timeStands: boolean,
    private readonly apart: boolean,
  ) {
    this.clock = this.clockOf(0);
  }

  /**
   * With `timeStands`, the application's clock moves only when the test moves it. With `apart`, each endpoint has a
   * separate website and a separate address, so failures are never combined into one incident and one message.
   */
  static async start(
    overrides: Partial<Config> = {},
    {
      durable = false,
      timeStands = false,
      apart = false,
    }: { durable?: boolean; timeStands?: boolean; apart?: boolean } = {},
  ): Promise<DeliveryScene> {
    const [app, provider] = await Promise.all([startOwnApp(overrides, { durable }), FakeProvider.start()]);
    return new DeliveryScene(app, provider, timeStands, apart);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.provider.stop();
  }

  /** Restarts gracefully, as in a deployment, with the same database and the same time. */
  async restart(): Promise<void> {
    await this.app.stop();
    await this.app.restart();
    this.clock = this.clockOf(this.clock.aheadMs);
  }

  get nest(): NestExpressApplication {
    return this.app.app;
  }

  /**
   * The application's time: the real time, or the fixed time with `timeStands`, plus any time that the test has added.
   */
  now(): Date {
    return this.nest.get(Clock).now();
  }

  get database(): Database {
    return this.nest.get(Database);
  }

  private clockOf(aheadMs: number): MovingClock {
    return this.timeStands ? MovingClock.frozenIn(this.nest, aheadMs) : MovingClock.of(this.nest, aheadMs);
  }

  async alert(
    type: SceneType,
    more: object = {},
    path = '',
    org: Pick<ServiceOrganization, 'write'> = this.app,
    name = 'Checkout API',
  ): Promise<SceneAlert> {
    const website = await created(org.write.post('/websites', { name: 'Shop', url: 'https://shop.example' }));
    const endpoint = await created(
      org.write.post(`/websites/${website}/endpoints`, {
        name,
        url: 'https://shop.example/checkout',
        type: 'HTTPS',
        enabled: false,
      }),
    );
    const id = await created(
      org.write.post('/alerts', {
        endpoint_id: endpoint,
        type,
        failure_threshold: 1,
        success_threshold: 1,
        config: CONFIGS[type]?.(`${this.provider.url}/${path === '' ? type : path}`),
        ...more,
      }),
    );
    return {
      id,
      uuid: uuidOf('alert', id),
      endpointId: endpoint,
      endpointUuid: uuidOf('endpoint', endpoint),
      websiteId: website,
    };
  }

  /** Inserts many alerts with one destination directly into the database, each on a separate endpoint. */
  async crowd(
    count: number,
    type: SceneType,
    path: string,
    orgId?: string,
    provider: FakeProvider = this.provider,
  ): Promise<SceneAlert[]> {
    const [org] = await this.database.query<{ id: string }>(
      'SELECT id FROM organization WHERE id = COALESCE($1, id) ORDER BY is_default DESC LIMIT 1',
      [orgId ?? null],
    );
    const configs = this.nest.get(SealedConfigs);
    const config = CONFIGS[type]?.(`${provider.url}/${path}`) ?? {};
    const destination = this.nest.get(ChannelRegistry).destination(type, config);
    const shared = newUuid();
    const alerts = Array.from({ length: count }, () => {
      const [uuid, endpointUuid, websiteUuid] = [newUuid(), newUuid(), this.apart ? newUuid() : shared];
      return {
        id: formatId('alert', uuid),
        uuid,
        endpointId: formatId('endpoint', endpointUuid),
        endpointUuid,
        websiteId: formatId('website', websiteUuid),
        websiteUuid,
      };
    });
    await this.database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO website (id, org_id, name, url) SELECT DISTINCT w.id, $2::uuid, 'Shop', 'https://shop.example/' FROM unnest($1::uuid[]) AS w (id)`,
        [alerts.map(({ websiteUuid }) => websiteUuid), org?.id],
      );
      await tx.query(
        `INSERT INTO endpoint (id, org_id, website_id, name, url, type, enabled)
         SELECT e.id, $2, e.website_id, 'Endpoint ' || e.position, 'https://shop.example/' || e.position, 'HTTPS', false
         FROM unnest($1::uuid[], $3::uuid[]) WITH ORDINALITY AS e (id, website_id, position)`,
        [alerts.map(({ endpointUuid }) => endpointUuid), org?.id, alerts.map(({ websiteUuid }) => websiteUuid)],
      );
      await tx.query(
        `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id)
         SELECT id, key, org_id FROM endpoint WHERE id = ANY ($1::uuid[])`,
        [alerts.map(({ endpointUuid }) => endpointUuid)],
      );
      await tx.query(
        `INSERT INTO alert (id, org_id, endpoint_id, type, config, destination, failure_threshold, success_threshold)
         SELECT a.id, $4, a.endpoint_id, $5, a.config::jsonb, $6, 1, 1
         FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS a (id, endpoint_id, config)`,
        [
          alerts.map(({ uuid }) => uuid),
          alerts.map(({ endpointUuid }) => endpointUuid),
          alerts.map(({ uuid }) => JSON.stringify(configs.seal(ownerOf(uuid, null), config))),
          org?.id,
          type,
          destination,
        ],
      );
    });
    return alerts;
  }

  /** Returns how many of these alerts' deliveries are in each state. */
  async countStates(alerts: readonly SceneAlert[]): Promise<Record<string, number>> {
    const rows = await this.database.query<{ end: string; count: number }>(
      `SELECT kind || ' ' || state || COALESCE(':' || detail, '') AS end, count(*)::int AS count
       FROM notification WHERE alert_id = ANY ($1::uuid[]) GROUP BY 1 ORDER BY 1`,
      [alerts.map(({ uuid }) => uuid)],
    );
    return Object.fromEntries(rows.map(({ end, count }) => [end, count]));
  }

  async report(result: Result, ...alerts: SceneAlert[]): Promise<void> {
    const addressOf = (endpointUuid: string) => (this.apart ? { address: endpointUuid } : {});
    await Alerting.of(this.nest).check(
      alerts.map(({ endpointUuid }) => ({ endpointId: endpointUuid, result, ...addressOf(endpointUuid) })),
    );
  }

  /**
   * Finishes a test: checks that nothing unexpected was sent, and drops what is left so that the next test doesn't send
   * it.
   */
  async finish(): Promise<void> {
    await this.deliver();
    for (const table of ['notification', 'notification_destination', 'alert_event', 'alert', 'incident'])
      await this.database.query(`DELETE FROM ${table}`);
    this.provider.verify();
  }

  /** Delivers everything that is due and waits until nothing is in flight. */
  deliver(): Promise<void> {
    return this.nest.get(DeliveryLoop).drain();
  }

  /** Moves time forward in steps and delivers after each step, like a loop that wakes every second. */
  async pass(totalMs: number, stepMs = totalMs): Promise<void> {
    for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
      this.clock.advance(stepMs);
      await this.deliver();
    }
  }

  rows({ uuid }: SceneAlert): Promise<OutboxRow[]> {
    return this.database.query<OutboxRow>('SELECT * FROM notification WHERE alert_id = $1 ORDER BY seq', [uuid]);
  }

  /** Returns `kind state` or `kind state:detail` for each row. */
  async states(alert: SceneAlert): Promise<string[]> {
    return (await this.rows(alert)).map(({ kind, state, detail }) => `${kind} ${state}${detail ? `:${detail}` : ''}`);
  }

  async deliveries({ id }: SceneAlert): Promise<Delivery[]> {
    return (await this.app.read.get<Delivery[]>(`/alerts/${id}/deliveries`)).body;
  }

  /** Returns the parsed request bodies that the provider received, optionally for only one path. */
  received<Body = Record<string, unknown>>(path?: string): Body[] {
    return this.provider.requests
      .filter((request) => path === undefined || request.path.startsWith(`/${path}`))
      .map(({ body }) => JSON.parse(body) as Body);
  }
}

async function created(responding: Promise<{ status: number; body: unknown; text: string }>): Promise<string> {
  const { status, body, text } = await responding;
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${text}`);
  return (body as { id: string }).id;
}

function uuidOf(kind: IdKind, id: string): string {
  const uuid = parseId(kind, id);
  if (uuid === null) throw new Error(`${id} is not the id of a ${kind}`);
  return uuid;
}
