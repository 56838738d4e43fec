/** @databases both */
import { DataSource } from 'typeorm';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { countQueries } from '../../harness/app/query-counter';

describe('lists with a thousand items', () => {
  let app: TestApp;
  let websiteId: string;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    // Frozen, because a key is read again after a second and marked as used every minute, which isn't part of a list.
    MovingClock.frozenIn(app.app);
    websiteId = (await app.write.post<{ id: string }>('/websites', { name: 'Many', url: 'https://many.example' })).body
      .id;
    const source = app.app.get(DataSource);
    await source.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), org_id, id, 'n' || n, 'http://many.example/' || n, 'HTTP' FROM website, generate_series(1, 1000) AS n`,
    );
    await source.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint',
    );
    await source.query(
      `INSERT INTO website (id, org_id, name, url) SELECT gen_random_uuid(), org_id, 'w' || n, url FROM website, generate_series(1, 999) AS n`,
    );
    await source.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config) SELECT gen_random_uuid(), org_id, id, 'webhook', '{"url": "http://a.example"}' FROM endpoint`,
    );
    await source.query(
      `INSERT INTO contact (id, org_id, name, type, config, destination)
       SELECT gen_random_uuid(), org_id, 'c' || n, 'webhook', '{"url": "http://a.example"}', n FROM website, generate_series(1, 1000) AS n
        WHERE name = 'Many'`,
    );
    await source.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, contact_id) SELECT gen_random_uuid(), e.org_id, e.id, 'slack', c.id
         FROM (SELECT *, row_number() OVER () AS n FROM endpoint) e JOIN (SELECT *, row_number() OVER () AS n FROM contact) c USING (n)`,
    );
  });
  afterAll(() => app.close());

  it.each([
    ['websites', 3, () => '/websites'],
    ['overview items', 3, () => '/overview'],
    ['overview items with their latency by the hour', 4, () => '/overview?latency=hourly'],
    ['overview items with their half hours', 5, () => '/overview?history=half_hours'],
    // Twenty-five, then a hundred at once, because each may be large. One more for the maintenance windows in force.
    ['endpoints of a website', 14, () => `/websites/${websiteId}/endpoints`],
    ['endpoints of the organization', 14, () => '/endpoints'],
    ['endpoints with a status', 14, () => '/endpoints?status=unknown'],
    ['contacts', 12, () => '/contacts'],
    ['alerts', 13, () => '/alerts?type=webhook'],
    // One statement for all their contacts.
    ['alerts that notify through contacts', 13, () => '/alerts?type=slack'],
  ])('a list of a thousand %s needs at most %d statements', async (_, statements, path) => {
    const counter = countQueries(app.app.get(DataSource));
    await app.read.get(path());
    counter.count = 0;
    const response = await app.read.get<object[]>(path());
    expect(response.body.length).toBe(1000);
    expect(counter.count).toBeGreaterThan(0);
    expect(counter.count).toBeLessThanOrEqual(statements);
  });
});
