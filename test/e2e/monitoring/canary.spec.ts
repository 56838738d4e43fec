/**
 * @lane slow
 * @databases both
 */
import { Logger } from '@nestjs/common';
import { Canary } from '../../../src/monitoring/canary';
import { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { Database } from '../../../src/platform/database/database';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';

interface Ready {
  status: string;
  details: Record<string, { ok: boolean; detail?: string }>;
}

describe('readiness', () => {
  let app: TestApp;
  let clock: MovingClock;
  let target: HttpTarget;

  beforeAll(async () => {
    for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(() => {});
    target = await HttpTarget.listen(always(rawResponse(200, 'ok')));
    app = await startOwnApp({ role: 'all', egressPrivate: 'allow' });
    clock = MovingClock.of(app.app);
    const website = await newWebsite(app.write);
    await newEndpoint(app.write, website, { url: target.url(), type: 'HTTP', interval: 1, timeout: 1 });
  });
  afterAll(async () => {
    armFailpoints([]);
    await app.close();
    await target.close();
    jest.restoreAllMocks();
  });

  const ready = async (): Promise<{ status: number; body: Ready }> => {
    const response = await fetch(`${app.url}/health/ready`);
    return { status: response.status, body: (await response.json()) as Ready };
  };
  const live = async () => (await fetch(`${app.url}/health/live`)).status;
  const becomesReady = () =>
    eventually('it is ready', async () => {
      app.app.get(Canary).send();
      return (await ready()).status === 200;
    });

  it('shows when a canary last passed the dispatcher and the recorder', async () => {
    await becomesReady();
    const { details } = (await ready()).body;
    expect([details['checks'], details['recorder']]).toEqual([
      { ok: true, detail: expect.stringMatching(/^passed \d+ s ago$/) as string },
      { ok: true, detail: expect.stringMatching(/^passed \d+ s ago$/) as string },
    ]);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toMatch(/uptime_canary_seconds\{stage="checks"\} [\d.]+/);
    expect(metrics).toMatch(/uptime_canary_seconds\{stage="recorder"\} [\d.]+/);
  });

  it('sends one query for all simultaneous requests', async () => {
    const database = app.app.get(Database);
    const query = jest.spyOn(database, 'query');
    const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await ready()).status));
    const asked = query.mock.calls.filter(([sql]) => sql === 'SELECT 1').length;
    query.mockRestore();
    expect([new Set(statuses), asked < 60]).toEqual([new Set([200]), true]);
  });

  it('fails and names the recorder while no batch can be written although the connection works, and recovers', async () => {
    await becomesReady();
    armFailpoints(['recorder.before_commit=error']);
    await eventually('the canary fails', async () => {
      app.app.get(Canary).send();
      clock.advance(5000);
      const { status, body } = await ready();
      return status === 503 && !body.details['recorder']?.ok;
    });
    await eventually('the checks pass', async () => {
      app.app.get(Canary).send();
      return (await ready()).body.details['checks']?.ok;
    });
    expect(await live()).toBe(200);
    armFailpoints([]);
    await becomesReady();
  });

  it('fails while results wait and no result is written, although the canary passes', async () => {
    await becomesReady();
    const stalled = jest.spyOn(app.app.get(CheckRecorder), 'stalledMs', 'get').mockReturnValue(20_000);
    const { status, body } = await ready();
    stalled.mockRestore();
    const detail = 'results are waiting, and none has been written for 20 s';
    expect([status, body.details['recorder']]).toEqual([503, { ok: false, detail }]);
    await becomesReady();
  });
});

describe('readiness of a service whose check slots are all taken by checks that hang', () => {
  let app: TestApp;
  let silent: HttpTarget;

  beforeAll(async () => {
    silent = await HttpTarget.listen(() => {});
    app = await startOwnApp({ role: 'all', egressPrivate: 'allow', maxConcurrentChecks: 2 });
  });
  afterAll(async () => {
    await silent.close();
    await app.close();
  });

  it('fails and names the checks, while the process stays alive', async () => {
    const website = await newWebsite(app.write);
    const hanging = { url: silent.url(), type: 'HTTP', interval: 1, timeout: 300 };
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => newEndpoint(app.write, website, hanging)));
    await eventually('every place is taken', () => silent.seen.length >= 2);
    app.app.get(Canary).send();
    const clock = MovingClock.of(app.app);
    clock.advance(16_000);
    const response = await fetch(`${app.url}/health/ready`);
    const { details } = (await response.json()) as Ready;
    expect([response.status, details['checks']?.ok]).toEqual([503, false]);
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
    await eventually('the recorder passes again', async () => {
      app.app.get(Canary).send();
      const again = (await (await fetch(`${app.url}/health/ready`)).json()) as Ready;
      return again.details['recorder']?.ok && !again.details['checks']?.ok;
    });
  });
});
