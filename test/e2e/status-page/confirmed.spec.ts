import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Page {
  status: string;
  endpoints: { status: string }[];
  outages: object[];
}

describe('a failure that is not confirmed yet', () => {
  let app: TestApp;
  let database: Database;
  let pages = 0;
  let website: string;
  let endpoint: string;
  let slug: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api', statusRateLimitPerSecond: 0 });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    slug = `confirmed-${++pages}`;
    website = await newWebsite(app.write);
    endpoint = await newEndpoint(app.write, website, { name: 'Rate limiter', interval: 60 });
  });
  afterEach(() => app.write.delete(`/websites/${website}`));

  const publish = (fields: object = {}) =>
    app.write.post('/status-pages', {
      title: 'Page',
      slug,
      enabled: true,
      groups: [{ endpoints: [endpoint] }],
      ...fields,
    });
  const page = async (): Promise<Page> => (await (await fetch(`${app.url}/status/${slug}.json`)).json()) as Page;
  const fail = (checks: number, seconds: number) =>
    database.query(
      `UPDATE endpoint_state SET status = 0, consecutive_failures = $2, consecutive_bad = $2,
              failing_since = now() - $3 * interval '1 second', status_since = now() - $3 * interval '1 second' WHERE endpoint_id = $1`,
      [parseId('endpoint', endpoint), checks, seconds],
    );
  const outage = (seconds: number, hoursAgo = 1) =>
    database.query(
      `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message)
       SELECT key, now() - $3 * interval '1 hour', now() - $3 * interval '1 hour' + $2 * interval '1 second', 1, '' FROM endpoint WHERE id = $1`,
      [parseId('endpoint', endpoint), seconds, hoursAgo],
    );
  const openOutage = (seconds: number) =>
    database.query(
      `INSERT INTO outage (endpoint_key, started_at, error, error_message)
       SELECT key, now() - $2 * interval '1 second', 1, '' FROM endpoint WHERE id = $1`,
      [parseId('endpoint', endpoint), seconds],
    );
  const pageId = async () =>
    (await app.read.get<{ id: string; slug: string }[]>('/status-pages')).body.find((each) => each.slug === slug)?.id;
  const verifying = async () =>
    (await app.read.get<{ id: string; verifying: boolean }[]>('/overview')).body.find(({ id }) => id === endpoint)
      ?.verifying;

  it.each<[string, number | null, number, boolean]>([
    ['with the first check of an endpoint without alert rules', null, 1, false],
    ['with its second one', null, 2, true],
    ['before the threshold of its alert rule', 3, 2, false],
    ['with the threshold of its alert rule', 3, 3, true],
  ])('is shown as down: %s', async (_, threshold, checks, isDown) => {
    if (threshold !== null) await newAlert(app.write, endpoint, { failure_threshold: threshold });
    await fail(checks, 60 * checks);
    await publish();
    const status = isDown ? 'down' : 'up';
    expect(await page()).toMatchObject({ status, endpoints: [{ status }] });
    expect(await verifying()).toBe(!isDown);
  });

  it('is shown as down after the time of the page, and at once with 0', async () => {
    await fail(1, 90);
    await publish({ down_after_minutes: 2 });
    expect((await page()).status).toBe('up');
    await fail(1, 130);
    const id = await pageId();
    await app.write.put(`/status-pages/${id}`, { title: 'Page' });
    expect((await page()).status).toBe('down');
    await fail(1, 1);
    await app.write.put(`/status-pages/${id}`, { down_after_minutes: 0 });
    expect((await page()).status).toBe('down');
  });

  it('is listed as an outage as soon as the page shows the endpoint as down, and not before', async () => {
    await publish();
    await openOutage(61);
    await fail(1, 61);
    expect(await page()).toMatchObject({ status: 'up', outages: [] });
    await fail(2, 61);
    await app.write.put(`/status-pages/${await pageId()}`, { title: 'Page' });
    expect(await page()).toMatchObject({ status: 'down', outages: [{ ended_at: null }] });
  });

  it('is not listed as an outage, so an endpoint that flaps has none', async () => {
    await newAlert(app.write, endpoint, { failure_threshold: 3 });
    for (let hours = 1; hours <= 20; hours++) await outage(60, hours);
    await outage(300, 22);
    await publish();
    expect((await page()).outages).toHaveLength(1);
    await app.write.put(`/status-pages/${await pageId()}`, { down_after_minutes: 0 });
    expect((await page()).outages).toHaveLength(20);
  });
});
