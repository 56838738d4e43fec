import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
require('reflect-metadata');
require('../scripts/typescript.cjs');
const { startApp } = require('../test/harness/app/app.ts');
const { newMember } = require('../test/harness/app/person.ts');
const { launchBrowser, Visit } = require('../test/web/browser.ts');
const app = await startApp({ role: 'api' });
const ada = (await newMember(app, 'admin', 'ada.lovelace@example.com')).browser;
await ada.send('PUT', '/auth/account', { name: 'Ada Lovelace' });
const bo = (await newMember(app, 'admin', 'bo@example.com')).browser;
await bo.send('PUT', '/auth/account', { name: 'Bo' });
for (const name of ['Terraform', 'Grafana export']) await bo.send('POST', '/api/v1/api-keys', { name, role: 'write' });
const cy = (await newMember(app, 'read', 'cyril.of.a.long.name@marketing.example.com')).browser;
await cy.send('PUT', '/auth/account', { name: 'Cyril de la Montagne' });
await ada.send('POST', '/api/v1/invitations', { email: 'dee@example.com', role: 'read' });
await ada.send('POST', '/api/v1/websites', { name: 'Shop', url: 'https://shop.example.com' });
const browser = await launchBrowser();
const only = process.argv[2];
const many = process.argv[3] ? process.argv[3].split(',') : ['people', 'account', 'keys', 'audit-log', 'organization'];
for (const [width, colorScheme] of [[1440,'light'],[1440,'dark'],[768,'light'],[390,'light'],[390,'dark'],[320,'light']]) {
  if (only && !only.split(',').includes(`${width}${colorScheme}`)) continue;
  const visit = await Visit.start(browser, app.url, { width, colorScheme });
  await visit.context.addCookies([ada.asCookie]);
  for (const name of many) {
    await visit.open(`/settings/${name}`);
    await visit.page.locator('main h1').first().waitFor({ state: 'attached' });
    await visit.settled();
    if (name === 'people') {
      await visit.page.getByLabel('E-mail').fill(`eve.${width}${colorScheme}@example.com`);
      await visit.page.getByRole('button', { name: 'Invite' }).click();
      await visit.page.getByRole('button', { name: 'Copy link' }).waitFor();
      await visit.settled();
    }
    await visit.page.screenshot({ path: `/tmp/b/pw/${name}-${width}-${colorScheme}.png`, fullPage: true });
    if (name === 'people') {
      await visit.page.getByRole('button', { name: 'Remove Bo' }).click();
      await visit.page.getByRole('dialog').getByLabel('Revoke them, too').waitFor().catch(() => undefined);
      await visit.page.screenshot({ path: `/tmp/b/pw/remove-${width}-${colorScheme}.png` });
      await visit.page.keyboard.press('Escape');
    }
  }
  console.log(width, colorScheme, await visit.overflow(), visit.complaints);
  await visit.close();
}
await browser.close();
await app.close();
process.exit(0);
