/** @lane slow */
import { describeContract } from '../../../packages/testing/contract/describe-service';
import { HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';

describe('a service that is in use', () => {
  let app: TestApp;
  let target: HttpTarget;
  let before: string;

  /** Returns everything that is stored, except fields that checks change. */
  const settings = async (): Promise<string> => {
    const lists = ['/websites', '/endpoints', '/alerts', '/contacts', '/status-pages', '/maintenance-windows'];
    const texts = await Promise.all(lists.map(async (path) => (await app.admin.get<{ id: string }[]>(path)).body));
    return JSON.stringify(texts.map((list) => list.map(({ id }) => id)));
  };

  beforeAll(async () => {
    app = await startOwnApp();
    // Every second request fails, so endpoints go up and down, and alerts trigger and resolve while the suite runs.
    let requests = 0;
    target = await HttpTarget.listen((_, socket) => socket.end(rawResponse(++requests % 4 < 2 ? 200 : 500)));
    const website = await newWebsite(app.write);
    for (const path of ['/a', '/b', '/c']) {
      const endpoint = await newEndpoint(app.write, website, { type: 'HTTP', url: target.url(path), interval: 1 });
      const config = { url: target.url('/hook') };
      await newAlert(app.write, endpoint, { type: 'webhook', config, failure_threshold: 1, success_threshold: 1 });
    }
    await newContact(app.write);
    await newMaintenanceWindow(app.write, { scope: { website_ids: [await newWebsite(app.write)] } });
    await app.write.post('/status-pages', { title: 'Everything', slug: 'everything', enabled: true, groups: [] });
    await app.organization('Other');
    before = await settings();
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  // contract.spec.ts tests the operator and the rules for all routes. They do not depend on existing data.
  const keys = { admin: () => app.admin.key, write: () => app.write.key, read: () => app.read.key, operator: null };
  describeContract(() => app.url, keys, { name: 'the public contract without an operator' }, []);

  describe('after the public contract was proved', () => {
    it('has its earlier data, and nothing else', async () => {
      expect(await settings()).toBe(before);
    });
  });
});
