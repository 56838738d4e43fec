/** @lane slow */
import { connect } from 'node:net';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startApp, type TestApp } from '../../harness/app/app';
import { slam, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { builtClient, type Client, collected } from './built-client';

const { UptimeClient, UptimeProblem } = builtClient();

const SHOP = { name: 'Shop', url: 'https://shop.example.com' };

describe('the typed client, with the service', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let client: Client;

  const clientOf = (apiKey: string | null, baseUrl = app.url) => new UptimeClient({ baseUrl, apiKey: apiKey ?? '' });

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    organization = await app.organization(expect.getState().currentTestName?.slice(-100) ?? '');
    client = clientOf(organization.write.key);
  });

  it('reads a list page by page to its last item', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await client.createWebsite({ body: { ...SHOP, name } });
    const pages = await collected(client.listWebsites.pages({ query: { limit: 2 } }));
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    const all = await collected(client.listWebsites.all({ query: { limit: 2, q: 'shop' } }));
    expect(all.map(({ name }) => name)).toEqual(names);
    const { data, headers } = await client.listWebsites.withResponse({ query: { limit: 2 } });
    expect([data.length, headers.xTotalCount]).toEqual([2, 5]);
  });

  it('rejects with the problem that the service names', async () => {
    const wrong = client.createWebsite({ body: { ...SHOP, name: 7 } });
    await expect(wrong).rejects.toBeInstanceOf(UptimeProblem);
    await expect(wrong).rejects.toMatchObject({
      name: 'UptimeProblem',
      status: 400,
      code: 'validation_failed',
      errors: [expect.objectContaining({ pointer: '/name', code: 'wrong_type' })],
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfter: undefined,
      message: expect.stringMatching(/^400 validation_failed: .*; \/name /),
    });
    await expect(clientOf('wrong').listWebsites()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(clientOf(organization.read.key).createWebsite({ body: SHOP })).rejects.toMatchObject({
      code: 'insufficient_role',
    });
  });

  it("does not overwrite another user's change", async () => {
    const { id } = await client.createWebsite({ body: SHOP });
    const { headers } = await client.getWebsite.withResponse({ path: { id } });
    const match = { 'If-Match': headers.etag ?? '' };
    await client.updateWebsite({ path: { id }, headers: match, body: { name: 'Mine' } });
    await expect(
      client.updateWebsite({ path: { id }, headers: match, body: { name: 'Theirs' } }),
    ).rejects.toMatchObject({ code: 'precondition_failed' });
    expect((await client.getWebsite({ path: { id } })).name).toBe('Mine');
    await expect(client.deleteWebsite({ path: { id } })).resolves.toBeUndefined();
  });

  it('sends a configuration document as an object or as YAML, and gets it in both', async () => {
    const document = { version: 1, owner: 'shop-repo', websites: [{ key: 'shop', ...SHOP }] };
    const yaml = `version: 1\nowner: shop-repo\nwebsites:\n  - { key: shop, name: Shop, url: "${SHOP.url}" }\n`;
    const plans = [document, yaml].map((body) => client.planConfiguration({ body }));
    const [one, other] = await Promise.all(plans);
    expect(one?.changes).toHaveLength(1);
    expect(other).toEqual(one);

    await client.createWebsite({ body: SHOP });
    await expect(client.exportConfiguration()).resolves.toMatchObject({ websites: [{ name: 'Shop' }] });
    await expect(client.exportConfiguration.as('application/yaml')).resolves.toMatch(/^ *-? *name: Shop$/m);
  });

  it('reads responses that are text', async () => {
    await expect(client.getMetrics()).resolves.toContain('# TYPE');
  });

  it('creates one website even though the response to the first POST was lost', async () => {
    const port = Number(new URL(app.url).port);
    let lost = 0;
    const proxy = await TcpTarget.listen((socket) => {
      const upstream = connect(port, '127.0.0.1');
      upstream.on('error', () => {});
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream);
      upstream.on('data', (chunk) => {
        if (lost === 0) slam(socket);
        else socket.write(chunk);
        lost += 1;
      });
    });
    try {
      const made = await clientOf(organization.write.key, `http://${proxy.authority}`).createWebsite({ body: SHOP });
      expect(proxy.accepted).toBe(2);
      expect(await client.listWebsites()).toEqual([expect.objectContaining({ id: made.id, name: 'Shop' })]);
    } finally {
      await proxy.close();
    }
  });
});
