import { eventually } from '../../../packages/testing/eventually';
import { type StartedProbe, startProbe } from '../../../packages/testing/probe/start-probe';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { numberNow } from '../../harness/app/manual-probe';
import { freePort } from '../../harness/machine/free-port';

interface Seen {
  status: string;
  by_location: { location: string; status: string }[] | null;
}

describe('the program of a probe, at the service', () => {
  let app: TestApp;
  let target: HttpTarget;
  let probe: StartedProbe;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    target = await HttpTarget.listen(always(rawResponse(200)));
    probe = await startProbe(app, { key: 'office' });
  });
  afterAll(async () => {
    await probe.stop();
    await target.close();
    await app.close();
  });

  it('checks a new endpoint at once, and the service shows the result', async () => {
    const website = await newWebsite(app.write);
    const settings = { url: target.url(), type: 'HTTP', interval: 60, locations: ['office'] };
    const endpoint = await newEndpoint(app.write, website, settings);
    await numberNow(app);
    const seen = await eventually('it is checked', async () => {
      const { body } = await app.read.get<Seen>(`/endpoints/${endpoint}`);
      return body.status === 'up' && body;
    });
    expect(seen.by_location).toMatchObject([{ location: 'office', status: 'up' }]);
    const { body } = await app.read.get<object[]>(`/endpoints/${endpoint}/checks`);
    expect(body).toMatchObject([{ location: 'office', outcome: 'up', status_code: 200 }]);
  });

  it('sees a refused connection, which is down though no instance checks (OpenStatus #2452, #2482)', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = { url, type: 'HTTP', interval: 60, locations: ['office'] };
    const endpoint = await newEndpoint(app.write, await newWebsite(app.write), settings);
    await numberNow(app);
    const seen = await eventually('it is down', async () => {
      const { body } = await app.read.get<Seen>(`/endpoints/${endpoint}`);
      return body.status === 'down' && body;
    });
    expect(seen.by_location).toMatchObject([{ status: 'down', error: { code: 'connection_refused' } }]);
  });

  it('runs checks on demand (Icinga #6766)', async () => {
    const settings = { name: 'Form', url: target.url('/form'), type: 'HTTP' };
    const tried = await app.write.post('/endpoints/test?location=office', settings);
    expect(tried).toMatchObject({ status: 200, body: { outcome: 'up', status_code: 200 } });
    expect(target.seen.at(-1)?.path).toBe('/form');
  });
});
