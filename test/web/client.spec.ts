import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { CLIENT_FOLDER } from '../e2e/client/built-client';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { HttpTarget, rawResponse } from '../../packages/testing/servers/http-target';
import { launchBrowser } from './browser';

jest.setTimeout(180_000);

describe('the typed client in a browser', () => {
  let app: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  /** Opens a page of this origin in which `it` is the client's module. */
  async function pageOf(url: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(url);
    const source = readFileSync(join(CLIENT_FOLDER, 'index.cjs'), 'utf8');
    await page.evaluate(`globalThis.it = {}; ((exports) => {${source}\n})(globalThis.it)`);
    return page;
  }

  it('creates resources, pages through a list, meets a problem, and opens the stream', async () => {
    const page = await pageOf(`${app.url}/health/live`);
    const told = await page.evaluate(`(async () => {
      const client = new it.UptimeClient({ baseUrl: location.origin, apiKey: ${JSON.stringify(app.write.key)} });
      for (const name of ['a', 'b', 'c']) await client.createWebsite({ body: { name, url: 'https://shop.example.com' } });
      const names = [];
      for await (const { name } of client.listWebsites.all({ query: { limit: 2 } })) names.push(name);
      const problem = await client.getWebsite({ path: { id: 'ws_00000000000000000000000000' } }).catch((error) => error);
      const end = new AbortController();
      let opened = 0;
      const onOpen = () => { opened += 1; end.abort(); };
      for await (const event of client.stream({}, { signal: end.signal, onOpen })) names.push(event.event);
      return [names, problem instanceof it.UptimeProblem, problem.code, opened];
    })()`);
    expect(told).toEqual([['a', 'b', 'c'], true, 'not_found', 1]);
  });

  it('follows no redirect', async () => {
    const target = await HttpTarget.listen(({ path }, socket) => {
      socket.write(path === '/' ? rawResponse(200, '') : rawResponse(307, '', { Location: `${app.url}/` }));
    });
    try {
      const page = await pageOf(target.url());
      const told = await page.evaluate(`new it.UptimeClient({ baseUrl: location.origin, apiKey: 'secret' })
        .getMetrics().catch((error) => [error.name, error.message])`);
      expect(told).toEqual(['UptimeUnexpectedResponse', expect.stringContaining('redirects are not followed')]);
    } finally {
      await target.close();
    }
  });
});
