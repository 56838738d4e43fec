// node web/screenshots.mjs: writes the pictures in docs/images, from the built dashboard with sample data.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('reflect-metadata');
require('../scripts/typescript.cjs');
const { startApp } = require('../test/harness/app/app.ts');
const { launchBrowser, Visit } = require('../test/web/browser.ts');
const { showcase } = require('../test/web/showcase.ts');

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const app = await startApp({ role: 'api' });
const ids = await showcase(app);
await app.write.put(`/websites/${ids.get('Example shop')}/status-page`, { enabled: true });
const browser = await launchBrowser();

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const ENDPOINT = `/endpoints/${ids.get('Checkout')}?range=24h`;

/** The chart and the sparklines are drawn after their data came; the pointer must not light up a row. */
async function take(visit, name) {
  await visit.page.waitForLoadState('networkidle');
  await visit.page.mouse.move(2, 2);
  await visit.page.waitForTimeout(500);
  await visit.page.screenshot({ path: `${folder}${name}.png` });
}

async function person(options) {
  const visit = await Visit.start(browser, app.url, options);
  await visit.signIn(app.admin.key);
  await visit.page.locator('.row').first().waitFor();
  return visit;
}

for (const colorScheme of ['light', 'dark']) {
  const visit = await person({ ...WIDE, colorScheme });
  await take(visit, `overview-${colorScheme}`);
  await visit.open(ENDPOINT);
  await take(visit, `endpoint-${colorScheme}`);
  await visit.close();
}

const light = await person({ ...WIDE, colorScheme: 'light' });
await light.open('/alerts/events');
await take(light, 'events');
await light.open('/new');
await light.page.getByLabel('URL, host or host:port').fill('https://shop.example.com/checkout');
await take(light, 'new-endpoint');
await light.page.goto(`${app.url}/status/example-shop`);
await take(light, 'status-page');
await light.close();

const phone = await person({ ...PHONE, colorScheme: 'light' });
await take(phone, 'overview-phone');
await phone.open(ENDPOINT);
await take(phone, 'endpoint-phone');
await phone.close();

await browser.close();
await app.close();
