// npm run pictures: recreates all pictures in docs/images from the built dashboard with sample data. The spec for the
// first hour creates its own pictures. This takes some minutes. The pictures contain times, so no two runs produce the
// same bytes. test/repository/pictures.spec.ts only checks that each picture is in this list.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('reflect-metadata');
require('../scripts/typescript.cjs');
const { startApp } = require('../test/harness/app/app.ts');
const { newAlert, newContact, newMaintenanceWindow } = require('../test/harness/app/resources.ts');
const { launchBrowser, Visit } = require('../test/web/browser.ts');
const { AFTER, BEFORE, OUTAGE, PEOPLE, PROBES, SHOWN, withIds } = require('../test/web/pictures.ts');
const { showcase } = require('../test/web/showcase.ts');
const { addIncidents, addOutage } = require('../test/web/showcase-incidents.ts');
const { addPeople } = require('../test/web/showcase-people.ts');
const { addProbes } = require('../test/web/showcase-probes.ts');
const { smallPng } = require('../test/web/small-png.ts');

const root = fileURLToPath(new URL('..', import.meta.url));
// The older pictures were created by this script in a work tree of 34585e0, after copying the necessary files from
// test/web.
const isBefore = process.argv.includes('--before');

/** Adds the sample data to a service that runs no checks. Returns IDs by name. */
async function samples({ write }) {
  const ids = await showcase(app);
  await addIncidents(app, ids);
  await write.put(`/websites/${ids.get('Example shop')}/status-page`, { enabled: true });
  await write.put(`/endpoints/${ids.get('Payments API')}`, { tags: ['prod', 'payments'] });
  const routing_key = '0123456789abcdef0123456789abcdef';
  ids.set('On call', await newContact(write, { name: 'On call', type: 'pagerduty', config: { routing_key } }));
  ids.set('Team', await newContact(write, { name: 'Team' }));
  for (const name of ['On call', 'Team'])
    for (const endpoint of ['Storefront', 'Search', 'REST v2'])
      await newAlert(write, ids.get(endpoint), { type: undefined, config: undefined, contact_id: ids.get(name) });
  await newMaintenanceWindow(write, { name: 'Database upgrade', scope: { endpoint_ids: [ids.get('Search')] } });
  return ids;
}

const app = await startApp({ role: 'api' });
const ids = await samples(app);
const browser = await launchBrowser();
// Signs in with an account, because the dashboard asks users who only have a key to create one.
const ada = isBefore ? null : await addPeople(app);

for (const { name, path, width, height, colorScheme, prepare } of isBefore
  ? BEFORE
  : [...SHOWN, ...AFTER, ...PROBES, ...PEOPLE, ...OUTAGE]) {
  // The other pictures show a normal day without probes.
  if (name === PROBES[0].name) await addProbes(app, ids);
  if (name === OUTAGE[0].name) ids.set('Outage', await addOutage(app, ids));
  const visit = await Visit.start(browser, app.url, { width, height, colorScheme });
  if (ada) {
    await visit.context.addCookies([ada.asCookie]);
    await visit.open('/');
  } else await visit.signIn(app.admin.key);
  await visit.page.locator('.row').first().waitFor();
  if (path.startsWith('public/')) await visit.page.goto(`${app.url}${path.slice('public'.length)}`);
  else await visit.open(withIds(path, ids));
  await prepare?.(visit);
  // The chart is drawn after its data arrives, and the pointer must not highlight a row.
  await visit.page.waitForLoadState('networkidle');
  await visit.page.mouse.move(2, 2);
  await visit.page.waitForTimeout(500);
  writeFileSync(`${root}docs/images/${name}.png`, smallPng(await visit.page.screenshot()));
  await visit.close();
}
await browser.close();
await app.close();

if (!isBefore) {
  const words = ['jest', 'first-hour', '--selectProjects', 'web'];
  const { status } = spawnSync('npx', words, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SCREENSHOTS: '1' },
  });
  process.exitCode = status ?? 1;
}
