/** @lane slow */
import { MonitoringService } from '../../../src/monitoring/monitoring.service';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

describe('a claim whose slots cannot be planned', () => {
  let app: TestApp;
  let target: SwitchableServer;

  beforeAll(async () => {
    [app, target] = await Promise.all([startOwnApp(), SwitchableServer.start()]);
  });
  afterAll(async () => {
    armFailpoints([]);
    await app.close();
    await target.close();
  });

  it.each([
    ['as soon as the fault is over', ['schedule.after_claim=error']],
    ['also when giving it back failed at first', ['schedule.after_claim=error', 'schedule.before_give_back=error']],
  ])('is returned: an endpoint with a daily check is checked %s', async (_, failpoints) => {
    const before = target.seen.length;
    const site = await newWebsite(app.write);
    armFailpoints(failpoints);
    await newEndpoint(app.write, site, { type: 'HTTP', url: `${target.url}/daily`, interval: 86_400 });
    for (let tick = 0; tick < 3; tick++) await app.app.get(MonitoringService).tick();
    expect(target.seen).toHaveLength(before);
    armFailpoints([]);
    await eventually('the check', () => target.seen.length > before);
  });
});
