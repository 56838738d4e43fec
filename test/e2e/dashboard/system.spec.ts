import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

describe('the state of the system', () => {
  let app: TestApp;
  let other: ServiceOrganization;

  beforeAll(async () => {
    app = await startOwnApp({ rawRetentionDays: 7 });
    other = await app.organization('Other');
  });
  afterAll(() => app.close());

  it('shows the state of the system to administrators of the organization that runs the installation', async () => {
    const { status, body } = await app.admin.get<Record<string, Record<string, unknown>>>('/system');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      role: 'all',
      retention: { raw_days: 7, rollup_days: 400 },
      outbox: { pending: 0, failed: 0 },
    });
    expect(body['database']?.['version']).toMatch(/^\d+\.\d+$/);
    expect(body['database']?.['size_bytes']).toBeGreaterThan(1_000_000);
    expect(body['scheduler']).toEqual({
      active_endpoints: 0,
      lag_ms: 0,
      checks_per_second: 0,
      overload: null,
    });
  });

  it('shows since when and by how much the installation is overloaded, over all instances, until it recovers', async () => {
    const database = app.app.get(Database);
    await database.query(
      `INSERT INTO instance (role, checks_per_second, overload_ratio, skipped_per_second, overloaded_since) VALUES
         ('worker', 1000, 1.84, 800.04, '2026-11-23T14:02:00Z'), ('all', 500.5, 1.2, 100, '2026-11-23T14:05:00Z'), ('worker', 20, 1, 0, NULL)`,
    );
    const overloaded = await app.admin.get<{ scheduler: object }>('/system');
    await database.query('DELETE FROM instance WHERE checks_per_second > 0');
    const calm = await app.admin.get<{ scheduler: object }>('/system');

    expect(overloaded.body.scheduler).toMatchObject({
      checks_per_second: 1520.5,
      overload: { since: '2026-11-23T14:02:00.000Z', ratio: 1.8, skipped_per_second: 900 },
    });
    expect(calm.body.scheduler).toMatchObject({ checks_per_second: 0, overload: null });
  });

  it('refuses the state of the system to other roles, and hides it from other organizations', async () => {
    expect((await app.write.get('/system')).status).toBe(403);
    expect((await other.admin.get('/system')).status).toBe(404);
  });
});
