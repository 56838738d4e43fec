import { startOwnApp, type TestApp } from '../harness/app/app';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { rawResponse, HttpTarget } from '../../packages/testing/servers/http-target';
import { eventually } from '../../packages/testing/eventually';
import { watch } from '../harness/processes/service-process';

describe('with failures confirmed and a threshold of one', () => {
  let app: TestApp;
  let target: HttpTarget;
  let hook: SwitchableServer;
  let failing = 0;

  beforeAll(async () => {
    app = await startOwnApp({ confirmFailures: true });
    hook = await SwitchableServer.start();
    target = await HttpTarget.listen((_, socket) => socket.end(rawResponse(failing-- > 0 ? 500 : 200, 'ok')));
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([hook.close(), target.close()]);
  });

  interface Check {
    outcome: string;
    attempts: number;
    first_error: { code: string } | null;
  }

  it('repeats a single failed check on a new connection without an alert, and alerts when the failure persists', async () => {
    const { endpoints } = await watch(app.admin, 1, target.url('').replace(/\/$/, ''), hook.url);
    const checks = async () => (await app.admin.get<Check[]>(`/endpoints/${endpoints[0]}/checks`)).body;
    await eventually('the endpoint is checked', async () => (await checks()).length > 0);
    const connections = target.tcp.accepted;

    failing = 1;
    const repeated = await eventually('a check was repeated', async () =>
      (await checks()).find(({ attempts }) => attempts === 2),
    );
    expect(repeated).toMatchObject({ outcome: 'up', first_error: { code: 'status_unexpected' } });
    expect(target.tcp.accepted - connections).toBeGreaterThanOrEqual(2);
    expect((await checks()).filter(({ outcome }) => outcome !== 'up')).toEqual([]);
    expect(hook.seen).toEqual([]);

    failing = Infinity;
    await eventually('the failure is delivered', () => hook.seen.length > 0);
    expect((await checks())[0]).toMatchObject({ outcome: 'down' });
  }, 60_000);
});
