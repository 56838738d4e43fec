import { startApp, type TestApp } from '../../harness/app/app';
import { SwitchableServer } from '../../harness/servers/switchable-server';

interface TestResult {
  outcome: string;
  status_code: number | null;
  duration_ms: number;
  phases: Record<string, number | null>;
  error: { code: string } | null;
  id?: string;
  code: string;
  errors: { pointer: string; code: string }[];
}

describe('testing an endpoint before it is saved', () => {
  let app: TestApp;
  let target: SwitchableServer;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startApp({ role: 'api' });
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  const run = (body: object, api = app.write) => api.post<TestResult>('/endpoints/test', body);
  const http = (more: object = {}) => ({ name: 'Draft', type: 'HTTP', url: target.url, ...more });

  it('responds with the result of the test and stores nothing', async () => {
    target.status = 200;
    const { status, body } = await run(http({ headers: [{ key: 'Authorization', value: 'Bearer secret' }] }));

    expect([status, body.outcome, body.status_code, body.error]).toEqual([200, 'up', 200, null]);
    expect(body.phases['connect_ms']).toBeGreaterThanOrEqual(0);
    expect(body.id).toBeUndefined();
    expect(target.seen.at(-1)?.headers.authorization).toBe('Bearer secret');
    expect((await app.read.get('/overview')).body).toEqual([]);
  });

  it('responds with the error code when the tested target is down', async () => {
    target.status = 503;
    const { status, body } = await run(http());
    expect([status, body.outcome, body.error?.code]).toEqual([200, 'down', 'status_unexpected']);
  });

  it('evaluates the assertions of the tested endpoint', async () => {
    target.status = 503;
    const { body } = await run(http({ assertions: [{ source: 'status_code', comparison: 'in', target: '500-599' }] }));
    expect(body.outcome).toBe('up');
  });

  it('refuses to test an endpoint that could not be created, with every pointer', async () => {
    const { status, body } = await run({ name: '', type: 'HTTP', url: 'ftp://x', interval: 0 });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors.map(({ pointer }) => pointer).sort()).toEqual(['/interval', '/name', '/url']);
    expect((await run({ name: 'x', type: 'HTTP', url: 'ftp://x' })).body.errors).toMatchObject([{ pointer: '/url' }]);
  });

  it('refuses to test a target that the egress policy refuses', async () => {
    const strict = await startApp({ role: 'api', egressPrivate: 'auto' });
    try {
      const { status, body } = await run(http(), strict.write);
      expect([status, body.code]).toEqual([422, 'target_not_allowed']);
    } finally {
      await strict.close();
    }
  });

  it('refuses a test to read keys', async () => {
    expect((await run(http(), app.read)).status).toBe(403);
  });
});
