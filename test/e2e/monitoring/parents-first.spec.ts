/** @lane timed */
import type { Config } from '../../../src/platform/config/config';
import type { Extension } from '../../../src/extension/extension';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { checksOnDemand } from '../../../packages/testing/service/checks-on-demand';
import { noStalls } from '../../../packages/testing/service/no-stalls';
import { eventually } from '../../../packages/testing/eventually';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { parseId } from '../../../src/platform/ids/id';

interface Check {
  outcome: string;
  checked_at: string;
}

/** How often the pairs break. `DEPENDENCY_ROUNDS=20` is the thorough run, with two hundred breaks. */
const ROUNDS = Number(process.env['DEPENDENCY_ROUNDS'] ?? 2);
const PAIRS = 10;
const CHILDREN = 250;
const RULE = { failure_threshold: 1, success_threshold: 1 };
const HOURLY = { interval: 3600 };

describe('the parents of an endpoint are checked before its alerts trigger', () => {
  let app: TestApp;
  let server: SwitchableServer;
  let website: string;
  let counter = 0;
  beforeAll(async () => {
    server = await SwitchableServer.start();
    // After a stall of a busy machine, a check runs twice, and this spec counts requests.
    app = await startOwnApp({}, { extensions: [checksOnDemand, noStalls] });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });
  beforeEach(async () => {
    counter++;
    website = await newWebsite(app.write);
  });

  /** Creates an endpoint that checks `/key` of the server and has a result. */
  const made = async (key: string, fields: object = {}): Promise<string> => {
    server.switch(key, 'ok');
    const id = await newEndpoint(app.write, website, {
      type: 'HTTP',
      url: `${server.url}/${key}`,
      ...HOURLY,
      ...fields,
    });
    await check(id);
    return id;
  };
  const checksOf = async (id: string): Promise<Check[]> =>
    (await app.read.get<Check[]>(`/endpoints/${id}/checks`)).body;
  const check = (id: string) => app.write.post<Check>(`/endpoints/${id}/checks`);
  const isTriggered = async (alert: string): Promise<boolean> =>
    (await app.read.get<{ triggered: boolean }>(`/alerts/${alert}`)).body.triggered;
  const requestsOf = (key: string): number => server.seen.filter((request) => request.key === key).length;
  const key = (name: string): string => `${name}${counter}`;
  const breaks = (...names: string[]): void => names.forEach((name) => server.switch(key(name), 'error'));

  it('an alert triggers for a parent that broke together with its child, and not for the child', async () => {
    const parent = await made(key('p'));
    const child = await made(key('c'), { depends_on: [parent] });
    const [ofParent, ofChild] = [await newAlert(app.write, parent, RULE), await newAlert(app.write, child, RULE)];
    breaks('p', 'c');
    expect((await check(child)).body.outcome).toBe('down');
    expect((await checksOf(parent)).map(({ outcome }) => outcome)).toEqual(['down', 'up']);
    expect([await isTriggered(ofParent), await isTriggered(ofChild)]).toEqual([true, false]);
  });

  it('an alert triggers for the child when the parent is up', async () => {
    const parent = await made(key('p'));
    const child = await made(key('c'), { depends_on: [parent] });
    const alert = await newAlert(app.write, child, RULE);
    breaks('c');
    await check(child);
    expect((await checksOf(parent)).map(({ outcome }) => outcome)).toEqual(['up', 'up']);
    expect(await isTriggered(alert)).toBe(true);
  });

  it('an alert triggers for the child with its next failure when only the parent has recovered', async () => {
    const parent = await made(key('p'));
    const child = await made(key('c'), { depends_on: [parent] });
    const alert = await newAlert(app.write, child, RULE);
    breaks('p', 'c');
    await check(child);
    server.switch(key('p'), 'ok');
    await check(parent);
    await check(child);
    expect(await isTriggered(alert)).toBe(true);
  });

  it('all parents are checked, at once, and one of them that is down is enough', async () => {
    const [a, b] = [await made(key('a')), await made(key('b'))];
    const child = await made(key('c'), { depends_on: [a, b] });
    const alert = await newAlert(app.write, child, RULE);
    breaks('b', 'c');
    await check(child);
    expect([requestsOf(key('a')), requestsOf(key('b'))]).toEqual([2, 2]);
    expect(await isTriggered(alert)).toBe(false);
  });

  it('a paused parent is not checked and explains nothing', async () => {
    const parent = await made(key('p'));
    const child = await made(key('c'), { depends_on: [parent] });
    const alert = await newAlert(app.write, child, RULE);
    await app.write.put(`/endpoints/${parent}`, { enabled: false });
    breaks('p', 'c');
    await check(child);
    expect(requestsOf(key('p'))).toBe(1);
    expect(await isTriggered(alert)).toBe(true);
  });

  it('a failure that triggers nothing causes no check of a parent', async () => {
    const parent = await made(key('p'));
    const child = await made(key('c'), { depends_on: [parent] });
    await newAlert(app.write, child, { failure_threshold: 2 });
    breaks('p', 'c');
    await check(child);
    expect(requestsOf(key('p'))).toBe(1);
  });

  it('a grandparent is checked as well: no alert triggers for the child and the parent between them', async () => {
    const top = await made(key('t'));
    const middle = await made(key('m'), { depends_on: [top] });
    const child = await made(key('c'), { depends_on: [middle] });
    const alerts = await Promise.all([top, middle, child].map((id) => newAlert(app.write, id, RULE)));
    breaks('t', 'm', 'c');
    await check(child);
    expect(await Promise.all(alerts.map(isTriggered))).toEqual([true, false, false]);
  });
});

/** Starts a service whose endpoints are checked when they are due. */
function scheduled(settings: Partial<Config>, ...extensions: Extension[]): () => [TestApp, SwitchableServer] {
  let app: TestApp;
  let server: SwitchableServer;
  beforeAll(async () => {
    server = await SwitchableServer.start();
    app = await startOwnApp(settings, { extensions });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });
  return () => [app, server];
}

describe('with a threshold of one failure', () => {
  const given = scheduled({}, noStalls);

  it('a parent with hundreds of children is checked once when all of them fail', async () => {
    const [app, server] = given();
    const website = await newWebsite(app.write);
    const parent = await newEndpoint(app.write, website, { type: 'HTTP', url: `${server.url}/parent`, ...HOURLY });
    const checks = async () => (await app.read.get<object[]>(`/endpoints/${parent}/checks`)).body.length;
    await eventually('its first check', async () => (await checks()) === 1);
    await app.app.get(Database).query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type, interval_seconds, enabled)
       SELECT gen_random_uuid(), org_id, website_id, 'child ' || n, $2, 'HTTP', 3600, true
         FROM endpoint, generate_series(1, ${CHILDREN}) n WHERE id = $1`,
      [parseId('endpoint', parent), `${server.url}/children`],
    );
    const sql = (text: string) => app.app.get(Database).query(text, [parseId('endpoint', parent)]);
    const OF_PARENT = `(SELECT * FROM endpoint WHERE website_id = (SELECT website_id FROM endpoint WHERE id = $1) AND id <> $1)`;
    await sql(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM ${OF_PARENT} c`,
    );
    await sql(`INSERT INTO endpoint_dependency SELECT id, $1 FROM ${OF_PARENT} c`);
    await sql(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config, failure_threshold)
       SELECT gen_random_uuid(), org_id, id, 'slack', '{"webhook_url": "https://hooks.slack.com/services/T/B/x"}', 1 FROM ${OF_PARENT} c`,
    );
    for (const key of ['parent', 'children']) server.switch(key, 'error');
    await sql(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, active, revision, next_check_at, phase_ms)
       SELECT id, org_id, 3600, 10, true, 1, now(), 0 FROM ${OF_PARENT} c`,
    );
    const failed = async () => {
      const [row] = await app.app.get(Database).query<{ n: number }>(
        `SELECT count(*)::int AS n FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id
          WHERE s.status = 0 AND e.website_id = (SELECT website_id FROM endpoint WHERE id = $1)`,
        [parseId('endpoint', parent)],
      );
      return row?.n === CHILDREN + 1;
    };
    expect(await eventually('all results', failed, 60_000)).toBe(true);
    expect(server.seen.filter(({ key }) => key === 'parent')).toHaveLength(2);
    expect((await app.read.get<object[]>(`/alerts?triggered=true&website_id=${website}`)).body).toEqual([]);
  });

  it(
    'a child and its parent that break at once, in any order, trigger an alert for the parent each time and never for the child',
    () => breakPairs(...given(), 0),
    900_000,
  );
});

describe('with a threshold of several failures', () => {
  const given = scheduled({ confirmFailures: true });

  it(
    'a child and its parent that break within a second, in any order, trigger an alert for the parent each time and never for the child',
    () => breakPairs(...given(), 900),
    900_000,
  );
});

const pause = (mostMs: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * mostMs));

/** Breaks and repairs pairs of child and parent that are checked each second, at most `mostApart` ms apart. */
async function breakPairs(app: TestApp, server: SwitchableServer, mostApart: number): Promise<void> {
  const eventsOf = async (alert: string): Promise<number> =>
    (await app.read.get<object[]>(`/alerts/events?alert_id=${alert}&limit=200`)).body.length;
  const website = await newWebsite(app.write);
  const made = async (key: string, depends_on: string[]) => {
    const target = { type: 'HTTP', url: `${server.url}/${key}`, interval: 1 };
    const id = await newEndpoint(app.write, website, { ...target, depends_on });
    return { key, id, alert: await newAlert(app.write, id, RULE) };
  };
  const pairs = await Promise.all(
    Array.from({ length: PAIRS }, async (__, i) => {
      const parent = await made(`p${i}`, []);
      return { parent, child: await made(`c${i}`, [parent.id]) };
    }),
  );
  const all = (status: string) => async () =>
    (await app.read.get<{ status: string }[]>(`/websites/${website}/endpoints`)).body.every(
      (endpoint) => endpoint.status === status,
    );
  for (let round = 0; round < ROUNDS; round++) {
    await eventually(`all are up before round ${round}`, all('up'), 30_000);
    await Promise.all(
      pairs.map(async ({ parent, child }) => {
        await pause(1000);
        const [first, second] = Math.random() < 0.5 ? [parent, child] : [child, parent];
        server.switch(first.key, 'error');
        if (mostApart > 0) await pause(mostApart);
        server.switch(second.key, 'error');
      }),
    );
    await eventually(`all are down in round ${round}`, all('down'), 30_000);
    for (const { parent, child } of pairs) {
      await pause(100);
      server.switch(parent.key, 'ok');
      server.switch(child.key, 'ok');
    }
  }
  await eventually('all are up at last', all('up'), 30_000);
  const told = await Promise.all(
    pairs.map(async ({ parent, child }) => [await eventsOf(parent.alert), await eventsOf(child.alert)]),
  );
  expect(told).toEqual(pairs.map(() => [2 * ROUNDS, 0]));
}
