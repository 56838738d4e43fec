/** @lane slow */
import { ChangedBytes } from '../../../src/identity/quota/changed-bytes.service';
import { Database } from '../../../src/platform/database/database';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import type { Api } from '../../../packages/testing/service/api';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newWebsite } from '../../harness/app/resources';

/** Far more than the creation of a heartbeat adds to the audit log. */
const LIMIT = 100_000;

describe('heartbeats that pings create', () => {
  let app: TestApp;
  let clock: MovingClock;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', quotaChangedBytesPerDay: LIMIT });
    clock = MovingClock.frozenIn(app.app);
  });
  afterAll(() => app.close());
  // Refills the budgets that the previous test has used up.
  beforeEach(() => clock.advance(86_400_000));

  let made = 0;
  const create = async (pingKey: string) => {
    const response = await fetch(`${app.url}/ping/${pingKey}/made-${++made}?create=1`);
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  };
  const pingKeyOf = async (by: Api, website: string): Promise<string> =>
    (await by.get<{ ping_key: string }>(`/websites/${website}`)).body.ping_key;

  it('are limited to one a second for a website, and other websites do not wait', async () => {
    const [one, other] = [await newWebsite(app.write), await newWebsite(app.write)];
    const key = await pingKeyOf(app.write, one);
    expect([(await create(key)).status, (await create(key)).status]).toEqual([201, 429]);
    expect(await create(await pingKeyOf(app.write, other))).toMatchObject({ status: 201 });
    clock.advance(1000);
    expect([(await create(key)).status, (await create(key)).status]).toEqual([201, 429]);
  });

  it('are limited to a hundred a day for a website', async () => {
    const { write } = await app.organization('Many');
    const key = await pingKeyOf(write, await newWebsite(write));
    const statuses: number[] = [];
    for (let n = 0; n < 102; n++) {
      statuses.push((await create(key)).status);
      clock.advance(1000);
    }
    expect(statuses).toEqual([...Array<number>(100).fill(201), 429, 429]);
    expect(Number((await create(key)).retryAfter)).toBeGreaterThan(600);
  }, 180_000);

  it('count as changes: none is created once the organization has reached its daily limit of changes', async () => {
    const { write, read, orgId } = await app.organization('Exhausted');
    const website = await newWebsite(write);
    const key = await pingKeyOf(write, website);
    expect((await create(key)).status).toBe(201);
    await app.app.get(ChangedBytes).write();
    await app.app.get(Database).query('UPDATE organization_change SET bytes = $2 WHERE org_id = $1', [orgId, LIMIT]);
    clock.advance(6000);
    const refused = await create(key);
    expect(refused.status).toBe(429);
    expect(Number(refused.retryAfter)).toBeGreaterThan(60);
    expect((await fetch(`${app.url}/ping/${key}/made-${made - 1}?create=1`)).status).toBe(200);
    expect((await read.get<unknown[]>(`/websites/${website}/endpoints`)).body).toHaveLength(1);
  });

  it('are not created with PING_CREATE=off', async () => {
    const key = await pingKeyOf(app.write, await newWebsite(app.write));
    app.config.pingCreate = false;
    try {
      expect((await create(key)).status).toBe(404);
    } finally {
      app.config.pingCreate = true;
    }
    expect((await create(key)).status).toBe(201);
  });
});
