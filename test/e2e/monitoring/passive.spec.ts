/** @lane slow */
import { Module } from '@nestjs/common';
import { Checker, type CheckResult } from '../../../src/checker/checker';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { checksOnDemand } from '../../../packages/testing/service/checks-on-demand';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { SwitchableServer } from '../../harness/servers/switchable-server';

/** A type whose results come from other programs. */
@Checker('PUSHED')
class PushedChecker implements Checker<string> {
  readonly targetForm = 'any text';
  readonly assertionSources = [] as const;
  readonly passive = true;

  parseTarget(url: string): string {
    return url;
  }

  check(): Promise<CheckResult> {
    throw new Error('a passive check was run');
  }
}

@Module({ providers: [PushedChecker] })
class PushedModule {}

describe('an endpoint that is not run by the service', () => {
  let app: TestApp;
  let server: SwitchableServer;
  let website: string;
  let pushed: string;

  beforeAll(async () => {
    server = await SwitchableServer.start();
    app = await startOwnApp({}, { extensions: [{ name: 'test', modules: [PushedModule] }, checksOnDemand] });
    website = await newWebsite(app.write);
    pushed = await newEndpoint(app.write, website, { type: 'PUSHED', url: 'backup', interval: 1 });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  const slotOf = async (id: string): Promise<unknown> => {
    const [row] = await app.app
      .get(Database)
      .query(
        `SELECT scheduled, next_check_at = 'infinity' AS "hasNone" FROM endpoint_schedule WHERE endpoint_id = $1`,
        [parseId('endpoint', id)],
      );
    return row;
  };

  it('has no slot while it is created, paused, and enabled, until it becomes one that is run', async () => {
    const none = { scheduled: false, hasNone: true };
    expect(await slotOf(pushed)).toEqual(none);
    await app.write.put(`/endpoints/${pushed}`, { interval: 5 });
    await app.write.put(`/websites/${website}`, { enabled: false });
    await app.write.put(`/websites/${website}`, { enabled: true });
    expect(await slotOf(pushed)).toEqual(none);
    const other = await newEndpoint(app.write, website, { type: 'PUSHED', url: 'other' });
    await app.write.put(`/endpoints/${other}`, { type: 'HTTP', url: server.url });
    expect(await slotOf(other)).toEqual({ scheduled: true, hasNone: false });
    await app.write.put(`/endpoints/${other}`, { type: 'PUSHED', url: 'other' });
    expect(await slotOf(other)).toEqual(none);
  });

  it('cannot be checked on demand, or tested before it is saved, and the error explains why', async () => {
    const problem = {
      code: 'conflict',
      detail: 'No check of type PUSHED is run: its results are sent to the monitor.',
    };
    const now = await app.write.post(`/endpoints/${pushed}/checks`);
    const test = await app.write.post('/endpoints/test', { name: 'Pushed', type: 'PUSHED', url: 'backup' });
    expect([now.status, test.status]).toEqual([409, 409]);
    expect([now.body, test.body]).toEqual([expect.objectContaining(problem), expect.objectContaining(problem)]);
  });

  it('is not checked first by endpoints that depend on it', async () => {
    server.status = 500;
    const child = await newEndpoint(app.write, website, {
      type: 'HTTP',
      url: server.url,
      interval: 3600,
      depends_on: [pushed],
    });
    const alert = await newAlert(app.write, child, { failure_threshold: 1, success_threshold: 1 });
    await app.write.post(`/endpoints/${child}/checks`);
    expect((await app.read.get<{ triggered: boolean }>(`/alerts/${alert}`)).body.triggered).toBe(true);
    expect((await app.read.get(`/endpoints/${pushed}/checks`)).body).toEqual([]);
  });
});
