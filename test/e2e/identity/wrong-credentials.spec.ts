/** @lane slow */
import { DataSource } from 'typeorm';
import { ApiKeyService } from '../../../src/identity/api-key/api-key.service';
import { generateApiKey } from '../../../src/identity/api-key/api-key-secret';
import { newToken } from '../../../src/identity/session/session.service';
import { HOUR_MS } from '../../../src/platform/time/time-units';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import { signIn } from '../../harness/app/browser-session';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { countQueries } from '../../harness/app/query-counter';

/** More than the number of lookups that an address with wrong credentials has. */
const FLOOD = 100;
const LOOKED_UP_AT_MOST = 60;

describe('an address that sends wrong credentials', () => {
  let app: TestApp;
  let clock: MovingClock;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    // Frozen, so that no bucket refills on a slow machine.
    clock = MovingClock.frozenIn(app.app);
  });
  beforeEach(async () => {
    // By now, the budget of the address is full again.
    clock.advance(HOUR_MS);
    await app.read.get('/websites');
  });
  afterAll(() => app.close());

  async function queriesOf(work: () => Promise<unknown>): Promise<number> {
    const counter = countQueries(app.app.get(DataSource));
    await work();
    return counter.count;
  }
  const flood = async (send: () => Promise<{ status: number }>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let n = 0; n < FLOOD; n++) statuses.push((await send()).status);
    return statuses;
  };
  const withWrongKey = () => new Api(app.url, generateApiKey('admin')).get('/websites');
  const withWrongCookie = (path: string) => () =>
    fetch(`${app.url}${path}`, { headers: { Cookie: `uptime_session=${newToken()}` } });

  it('has its guesses refused without a query once it has sent many', async () => {
    let statuses: number[] = [];
    const queries = await queriesOf(async () => (statuses = await flood(withWrongKey)));
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses.slice(20)).toEqual(Array(FLOOD - 20).fill(429));
    expect(queries).toBeLessThan(LOOKED_UP_AT_MOST);
  });

  it("does not remove the known keys from the service's cache", async () => {
    await flood(withWrongKey);
    expect((await app.read.get('/websites')).status).toBe(200);
    const queries = await queriesOf(() => app.read.get('/websites'));
    // Only the query of the list. The key causes none.
    expect(queries).toBe(1);
  });

  it('does not block a right key that the service has not seen yet, once time has passed', async () => {
    await flood(withWrongKey);
    const { orgId } = await app.organization('Late');
    const { key } = await app.app.get(ApiKeyService).create(orgId, { name: 'late', role: 'read' });
    clock.advance(1000);
    expect((await new Api(app.url, key).get('/websites')).status).toBe(200);
  });

  it.each([
    ['/api/v1/websites', 401],
    ['/auth/session', 204],
  ])('has unknown cookies of GET %s also refused without a query', async (path, status) => {
    let statuses: number[] = [];
    const queries = await queriesOf(async () => (statuses = await flood(withWrongCookie(path))));
    expect(new Set(statuses)).toEqual(new Set([status, 429]));
    expect(queries).toBeLessThan(LOOKED_UP_AT_MOST);
  });

  it('has wrong sign-ins and sign-in links also refused without a query', async () => {
    const queries = await queriesOf(async () => {
      await flood(() => signIn(app.url, { api_key: generateApiKey('read') }));
      await flood(() => signIn(app.url, { sign_in_token: newToken() }));
    });
    expect(queries).toBeLessThan(LOOKED_UP_AT_MOST);
  });

  it('causes one query for a credential, no matter how often it repeats it', async () => {
    const key = generateApiKey('admin');
    const queries = await queriesOf(() => flood(() => new Api(app.url, key).get('/websites')));
    expect(queries).toBe(1);
  });
});
