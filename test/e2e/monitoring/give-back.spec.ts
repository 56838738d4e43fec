import { MonitoringService } from '../../../src/monitoring/monitoring.service';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { startApp, type TestApp } from '../../harness/app/app';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../harness/app/poll';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

describe('a claim whose slots cannot be planned', () => {
  let app: TestApp;
  let target: SwitchableServer;

  beforeAll(async () => {
    [app, target] = await Promise.all([startApp(), SwitchableServer.start()]);
  });
  afterAll(async () => {
    armFailpoints([]);
    await app.close();
    await target.close();
  });

  it('is given back: an endpoint of once a day is checked as soon as the fault is over', async () => {
    const site = await newWebsite(app.write);
    armFailpoints(['schedule.after_claim=error']);
    await newEndpoint(app.write, site, { type: 'HTTP', url: `${target.url}/daily`, interval: 86_400 });
    for (let tick = 0; tick < 3; tick++) await app.app.get(MonitoringService).tick();
    expect(target.seen).toEqual([]);
    armFailpoints([]);
    await eventually('the check', () => target.seen.length === 1);
  });
});
