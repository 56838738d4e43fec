// npm run pictures: makes every picture of docs/images anew, of the built dashboard with sample data and, by its spec, of the first hour.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('reflect-metadata');
require('../scripts/typescript.cjs');
const { startApp } = require('../test/harness/app/app.ts');
const { launchBrowser, Visit } = require('../test/web/browser.ts');
const { smallPng } = require('../test/web/small-png.ts');
const { AFTER, BEFORE, SHOWN, sampleService, withIds } = require('../test/web/pictures.ts');

const root = fileURLToPath(new URL('..', import.meta.url));
// Those of before were made by this script in a work tree of 34585e0, into which it and pictures.ts were copied.
const isBefore = process.argv.includes('--before');

const app = await startApp({ role: 'api' });
const ids = await sampleService(app);
const browser = await launchBrowser();

for (const { name, path, width, height, colorScheme, prepare } of isBefore ? BEFORE : [...SHOWN, ...AFTER]) {
  const visit = await Visit.start(browser, app.url, { width, height, colorScheme });
  await visit.signIn(app.admin.key);
  await visit.page.locator('.row').first().waitFor();
  if (path.startsWith('public/')) await visit.page.goto(`${app.url}${path.slice('public'.length)}`);
  else await visit.open(withIds(path, ids));
  await prepare?.(visit);
  // The chart is drawn after its data came; the pointer must not light up a row.
  await visit.page.waitForLoadState('networkidle');
  await visit.page.mouse.move(2, 2);
  await visit.page.waitForTimeout(500);
  const file = `${root}docs/images/${name}.png`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, smallPng(await visit.page.screenshot()));
  await visit.close();
}
await browser.close();
await app.close();
