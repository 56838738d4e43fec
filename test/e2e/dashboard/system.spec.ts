import { startApp, type TestApp, type TestOrganization } from '../../harness/app/app';

describe('the state of the system', () => {
  let app: TestApp;
  let other: TestOrganization;

  beforeAll(async () => {
    app = await startApp({ rawRetentionDays: 7 });
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
    expect(body['scheduler']).toEqual({ active_endpoints: 0, lag_ms: 0 });
  });

  it('refuses the state of the system to other roles, and hides it from other organizations', async () => {
    expect((await app.write.get('/system')).status).toBe(403);
    expect((await other.admin.get('/system')).status).toBe(404);
  });
});
