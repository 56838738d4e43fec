import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { signClaim } from '../../src/delivery/send/acknowledge-token';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { ServerSecrets } from '../../src/platform/secrets/server-secrets';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

/** Starts a proxy that serves the service below `/monitor` and removes that prefix. */
async function belowPath(target: string): Promise<{ url: string; proxy: Server; referers: string[] }> {
  const referers: string[] = [];
  const proxy = createServer((request, response) => {
    const path = request.url ?? '/';
    if (request.headers.referer !== undefined) referers.push(request.headers.referer);
    if (!path.startsWith('/monitor/')) {
      response.writeHead(404).end();
      return;
    }
    const { method = 'GET', headers } = request;
    const sent = httpRequest(`${target}${path.slice('/monitor'.length)}`, { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/monitor`, proxy, referers };
}

describe("the page of a message's acknowledge link", () => {
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

  /** Returns the token of an endpoint that is down, with an open incident. */
  const linkOf = async (name: string): Promise<string> => {
    const endpointId = await newEndpoint(app.write, await newWebsite(app.write, 'Example shop'), { name });
    const alertId = parseId('alert', await newAlert(app.write, endpointId)) ?? '';
    const database = app.app.get(Database);
    await database.query('UPDATE endpoint_state SET status = 0 WHERE endpoint_id = $1', [
      parseId('endpoint', endpointId),
    ]);
    await database.query(
      `UPDATE alert SET triggered = true, incident_no = 1, incident_started_at = now() - interval '2 hours 10 minutes' WHERE id = $1`,
      [alertId],
    );
    const key = app.app.get(ServerSecrets).get('acknowledge_link');
    return signClaim(key, { alertId, episodeNo: 1, expiresAt: new Date(Date.now() + 60_000) });
  };

  const look = async (visit: Visit, name: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit.page.emulateMedia({ colorScheme });
      expect([await visit.barriers(), await visit.overflow(), visit.complaints]).toEqual([[], 0, []]);
      const folder = process.env['SCREENSHOTS'];
      if (folder) await visit.page.screenshot({ path: `${folder}/ack-${name}-${colorScheme}.png`, fullPage: true });
    }
  };

  it.each([390, 1280])(
    'acknowledges with one press and a note, without accessibility errors, %i pixels wide',
    async (width) => {
      const token = await linkOf('Checkout API');
      const visit = await Visit.start(browser, app.url, { width });
      const { page } = visit;
      await page.goto(`${app.url}/ack/${token}`);
      expect(await page.getByRole('heading').innerText()).toBe('Checkout API is down');
      await look(visit, `open-${width}`);
      await page.getByLabel('Your name').fill('Ada');
      await page.getByText('Add a note').click();
      await page.getByLabel('Note for your team').fill('On my way.\nBack at two.');
      await page.getByRole('button', { name: 'Acknowledge' }).click();
      expect(await page.getByRole('status').innerText()).toBe('You acknowledged this outage.');
      expect(await page.locator('blockquote').innerText()).toBe('On my way.\nBack at two.');
      await look(visit, `taken-${width}`);
      await page.goto(`${app.url}/ack/${token}`);
      expect(await page.getByRole('status').innerText()).toBe('This outage was already acknowledged.');
      await page.getByText('by Ada, using the link in a message').waitFor();
      await page.goto(`${app.url}/ack/${await linkOf('Login')}`);
      expect(await page.getByLabel('Your name').inputValue()).toBe('Ada');
      await visit.close();
    },
  );

  it('works below the path of a proxy, without scripts, and sends its URL to no other site', async () => {
    const { url, proxy, referers } = await belowPath(app.url);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${url}/ack/${await linkOf('Search')}`);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    expect(await page.getByRole('status').innerText()).toBe('You acknowledged this outage.');
    const dashboard = page.getByRole('link', { name: 'Open in the dashboard' });
    expect(new URL((await dashboard.getAttribute('href')) ?? '', page.url()).href).toMatch(
      new RegExp(`^${url}/#/endpoints/ep_`),
    );
    await dashboard.click();
    await page.waitForURL(`${url}/#/endpoints/*`);
    expect(referers.filter((referer) => referer.includes('/ack/'))).toEqual([]);
    await context.close();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('explains that an invalid link is not valid', async () => {
    const visit = await Visit.start(browser, app.url, { width: 390 });
    await visit.page.goto(`${app.url}/ack/${'A'.repeat(56)}`);
    expect(await visit.page.getByRole('heading').innerText()).toBe('This link is not valid');
    // The browser logs the status.
    expect(visit.complaints.splice(0).every((complaint) => complaint.includes('404'))).toBe(true);
    await look(visit, 'invalid');
    await visit.close();
  });
});
