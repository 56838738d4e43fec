/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import { collectQueries } from '../../harness/app/query-counter';
import { many } from '../../harness/many';

/** The maximum number of statements in an apply, for any change. */
const FEW = 20;

describe('the locations of many endpoints', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  it('are written in a few statements for five hundred endpoints', async () => {
    const org = await app.organization('Many places');
    const database = app.app.get(Database);
    for (const key of ['fra', 'office', 'virginia']) await org.admin.post('/probes', { key });
    const apply = (locations: readonly string[]) =>
      org.write.put('/configuration', {
        version: 1,
        websites: [
          {
            key: 'many',
            name: 'Many',
            url: 'https://a.example.com',
            endpoints: many(500, (i) => ({
              key: `e${i}`,
              name: `E ${i}`,
              type: 'HTTPS',
              url: 'https://a.example.com',
              locations,
            })),
          },
        ],
      });
    const statements = collectQueries(app.app.get(DataSource));
    const statementsOf = async (locations: readonly string[]): Promise<number> => {
      const before = statements.length;
      expect((await apply(locations)).status).toBe(200);
      return statements.slice(before).filter(([sql]) => /endpoint_location|FROM probe/.test(sql)).length;
    };
    expect(await statementsOf(['local', 'fra', 'office'])).toBeLessThan(FEW);
    expect(await statementsOf(['local', 'fra', 'virginia'])).toBeLessThan(FEW);
    const rows = await database.query<{ number: number; count: number }>(
      `SELECT coalesce(p.key, 'local') AS key, count(*)::int AS count
         FROM endpoint_location l LEFT JOIN probe p ON p.number = l.number WHERE l.org_id = $1 GROUP BY 1 ORDER BY 1`,
      [org.orgId],
    );
    expect(rows).toEqual(['fra', 'local', 'virginia'].map((key) => ({ key, count: 500 })));
  }, 60_000);
});
