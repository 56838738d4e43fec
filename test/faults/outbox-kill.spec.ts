import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import { Config } from '../../src/platform/config/config';
import { Database } from '../../src/platform/database/database';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { parseId } from '../../src/platform/ids/id';
import { Alerting } from '../harness/app/alerting';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { buildService, ServiceProcess } from '../harness/processes/service-process';
import { FakeProvider, type ReceivedRequest } from '../../packages/testing/servers/fake-provider';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkSettled } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';

/** Rounds per failpoint. `KILL_ROUNDS=20` is the full run. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 2);
/** The time to start a process on a busy machine. */
const ROUND_LIMIT_MS = 60_000;

const suite = findPostgres() === null ? describe.skip : describe;

/**
 * One process (the child) is killed at a failpoint. Another one (the survivor, in this process) takes over. The
 * survivor's loops are off while the child works. Leases are set to expired instead of waiting a minute, so that a
 * round takes seconds.
 */
suite(`kill -9 at every point of the pipeline, ${ROUNDS} rounds each (needs PostgreSQL)`, () => {
  let cluster: PostgresCluster;
  let survivor: TestApp;
  let alerting: Alerting;
  let target: SwitchableServer;
  let pager: FakeProvider;
  let hook: FakeProvider;
  let chat: FakeProvider;
  let endpointUuid: string;
  let endpointId: string;
  let alertUuids: string[];
  let isDown = false;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    [target, pager, hook, chat] = await Promise.all([
      SwitchableServer.start(),
      FakeProvider.start(),
      FakeProvider.start(),
      FakeProvider.start(),
    ]);
    pager.standingResponse({ status: 202, body: '{"status":"success","message":"ok","dedup_key":"x"}' });
    hook.standingResponse({ status: 204 });
    chat.standingResponse({ status: 200, body: 'ok' });
    survivor = await startOwnApp({ databaseUrl: cluster.url });
    alerting = Alerting.of(survivor.app);
    pauseSurvivor();
    const website = await created('/websites', { name: 'Shop', url: 'https://shop.example' });
    endpointId = await created(`/websites/${website}/endpoints`, {
      name: 'Checkout',
      url: target.url,
      type: 'HTTP',
      interval: 86_400,
    });
    endpointUuid = parseId('endpoint', endpointId) ?? '';
    const rule = { endpoint_id: endpointId, failure_threshold: 1, success_threshold: 1 };
    alertUuids = [];
    for (const [type, config] of [
      ['pagerduty', { routing_key: 'a'.repeat(32), api_url: pager.url }],
      ['webhook', { url: hook.url }],
      ['slack', { webhook_url: chat.url }],
    ] as const) {
      alertUuids.push(parseId('alert', await created('/alerts', { ...rule, type, config })) ?? '');
    }
  }, 180_000);
  afterAll(async () => {
    await survivor.close();
    await Promise.all([target.close(), pager.stop(), hook.stop(), chat.stop()]);
    await cluster.remove();
  }, 60_000);
  beforeEach(async () => {
    pauseSurvivor();
    for (const provider of [pager, hook, chat]) provider.requests.splice(0);
    // Otherwise hundreds of rounds in a few minutes would count as flapping and as a storm.
    await sql(`UPDATE alert_event SET created_at = created_at - interval '2 hours'`);
    await sql('UPDATE notification_destination SET tokens_at = NULL, digest_at = NULL');
    await sql(`UPDATE endpoint_schedule SET next_check_at = now() + interval '1 day'`);
  });

  const sql = <Row>(statement: string) => survivor.app.get(Database).query<Row>(statement);
  const config = () => survivor.app.get(Config);
  const pauseSurvivor = () => (config().role = 'api');
  const resumeSurvivor = () => (config().role = 'all');
  const child = (failpoints: string) =>
    ServiceProcess.launch(cluster.url, { ROLE: 'worker', FAILPOINTS: failpoints, CONFIRM_FAILURES: 'off' });

  async function created(path: string, body: object): Promise<string> {
    const response = await survivor.write.post<{ id: string }>(path, body);
    if (response.status !== 201) throw new Error(response.text);
    return response.body.id;
  }

  /** Changes the three alerts. Their deliveries are pending, and this process does not send them. */
  async function transition(): Promise<string> {
    isDown = !isDown;
    await alerting.check([{ endpointId: endpointUuid, result: isDown ? 'F' : 'S' }]);
    return isDown ? 'triggered' : 'resolved';
  }

  async function takeOver(): Promise<void> {
    await sql(`UPDATE notification SET lease_until = now() - interval '1 second' WHERE lease_token IS NOT NULL`);
    await sql(
      `UPDATE notification_destination SET due_at = now() - interval '1 second', blocked_until = NULL WHERE due_at IS NOT NULL`,
    );
    resumeSurvivor();
    // PostgreSQL may need a moment to roll back the killed process's transactions.
    await eventually('no delivery is pending', async () => {
      await survivor.app.get(DeliveryLoop).drain();
      return (await sql(`SELECT 1 FROM notification WHERE state = 'pending'`)).length === 0;
    });
    await checkSettled(survivor.app.get(Database));
  }

  /** Every channel received the event under one key, at most `most` times. */
  async function expectDelivered(kind: string, most: number): Promise<void> {
    const events = await Promise.all(alertUuids.map(async (id) => (await alerting.events(id)).at(-1)));
    expect(events.map((event) => event?.type)).toEqual([kind, kind, kind]);
    const keys: [FakeProvider, (request: ReceivedRequest) => string][] = [
      [pager, ({ body }) => (JSON.parse(body) as { dedup_key: string }).dedup_key],
      [hook, ({ headers }) => headers['webhook-id'] ?? ''],
      [chat, ({ body }) => (JSON.parse(body) as { text: string }).text.replace(/^Repeat: /, '')],
    ];
    const rows = await sql<{ attempts: number; may_have_arrived: boolean }>(
      `SELECT attempts, may_have_arrived FROM notification WHERE event_id = ANY ('{${events.map((event) => event?.id).join()}}')
       ORDER BY alert_id`,
    );
    for (const [place, [provider, keyOf]] of keys.entries()) {
      expect(provider.requests.length).toBeGreaterThanOrEqual(1);
      expect(provider.requests.length).toBeLessThanOrEqual(most);
      expect(provider.requests.length).toBeLessThanOrEqual(rows[place]?.attempts ?? 0);
      if (!rows[place]?.may_have_arrived) expect(provider.requests.length).toBe(1);
      expect(new Set(provider.requests.map(keyOf)).size).toBe(1);
    }
    const [first, second] = chat.requests;
    expect(first?.body).not.toMatch(/^\{"text":"Repeat: /);
    if (second) expect(second.body).toMatch(/^\{"text":"Repeat: /);
    for (const id of alertUuids) {
      const types = (await alerting.events(id)).map(({ type }) => type);
      expect(types).toEqual(types.map((_, place) => (place % 2 === 0 ? 'triggered' : 'resolved')));
    }
  }

  /** Returns the providers with a request, or `null` while there are none. */
  function arrived(): FakeProvider[] | null {
    const requested = [pager, hook, chat].filter(({ requests }) => requests.length > 0);
    return requested.length > 0 ? requested : null;
  }

  /** Returns how many deliveries of the newest transition needed no second attempt. */
  async function acknowledged(kind: string): Promise<number> {
    const rows = await sql<{ kind: string; attempts: number }>(
      'SELECT DISTINCT ON (alert_id) kind, attempts FROM notification ORDER BY alert_id, seq DESC',
    );
    return rows.filter((row) => row.kind === kind && row.attempts === 1).length;
  }

  const state = () =>
    sql(`SELECT (SELECT count(*) FROM check_result) AS checks, (SELECT count(*) FROM alert_event) AS events,
           (SELECT count(*) FROM notification) AS messages, s.consecutive_failures, s.consecutive_successes,
           s.last_checked_at, (SELECT array_agg(triggered) FROM alert) AS flags
         FROM endpoint_state s`);

  const rounds = Array.from({ length: ROUNDS }, (_, round) => round + 1);

  /** If the crash leaves no doubt whether the request was sent, it arrives exactly once. */
  const POINTS: [FailpointName, number][] = [
    ['outbox.before_claim', 1],
    ['outbox.after_claim', 1],
    ['outbox.before_send', 1],
    ['outbox.after_request_written', 2],
    ['outbox.after_send', 2],
    // One of three attempts in flight is acknowledged. The others die between sending and acknowledgement.
    ['outbox.after_ack', 2],
  ];
  describe.each(POINTS)('kill at %s: delivered at most %i times', (point, most) => {
    it.each(rounds)(
      'round %i',
      async () => {
        const victim = child(`${point}=kill`);
        const kind = await transition();
        await victim.killed();
        const unanswered =
          point === 'outbox.after_request_written' ? await eventually('one provider has a request', arrived) : [];
        // Messages that were certainly not sent are also marked as a possible repeat, because the survivor can't see
        // the difference.
        const before = chat.requests.length;
        await takeOver();
        if (before === 0 && chat.requests[0]) chat.requests[0].body = chat.requests[0].body.replace('"Repeat: ', '"');
        await expectDelivered(kind, most);
        for (const provider of unanswered) expect(provider.requests).toHaveLength(2);
        if (point === 'outbox.after_ack') expect(await acknowledged(kind)).toBeGreaterThan(0);
      },
      ROUND_LIMIT_MS,
    );
  });

  describe('kill after the request is written: delivered at most twice', () => {
    it.each(rounds)(
      'round %i',
      async () => {
        for (const provider of [pager, hook, chat]) provider.expect('hang');
        const victim = child('');
        const kind = await transition();
        await eventually(
          'a request is written',
          () => pager.requests.length > 0 && hook.requests.length > 0 && chat.requests.length > 0,
          30_000,
        );
        await victim.kill();
        await victim.killed();
        await takeOver();
        await expectDelivered(kind, 2);
      },
      ROUND_LIMIT_MS,
    );
  });

  describe('kill between a check’s result and its commit: all of it or nothing', () => {
    it.each(rounds)(
      'round %i',
      async () => {
        target.status = isDown ? 200 : 500;
        const before = await state();
        await sql(
          'UPDATE endpoint_schedule SET next_check_at = now(), claimed_slot = NULL, claimed_by = NULL, busy_until = NULL',
        );
        await child('recorder.before_commit=kill').killed();
        expect(await state()).toEqual(before);
        const check = await survivor.write.post(`/endpoints/${endpointId}/checks`);
        expect(check.status).toBe(201);
        isDown = !isDown;
        await takeOver();
        await expectDelivered(isDown ? 'triggered' : 'resolved', 1);
      },
      ROUND_LIMIT_MS,
    );
  });
});
