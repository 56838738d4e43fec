import type { Browser } from 'playwright-core';
import { startOwnApp, type TestApp } from '../harness/app/app';
import type { Api } from '../../packages/testing/service/api';
import { eventually } from '../../packages/testing/eventually';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('settings and the session, in a browser', () => {
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

  const newKey = async (by: Api, role: string, name = 'Ann'): Promise<{ id: string; key: string }> =>
    (await by.post<{ id: string; key: string }>('/api-keys', { name, role })).body;

  const signedIn = async (key: string): Promise<Visit> => {
    const visit = await Visit.start(browser, app.url);
    await visit.signIn(key);
    return visit;
  };

  it('explains why the user has to sign in again, and keeps the filled-in form', async () => {
    const key = await newKey(app.admin, 'write');
    const user = await signedIn(key.key);
    const { page } = user;
    await user.open('/new');
    await page.getByLabel('URL, host, or host:port').fill('https://shop.example.com/checkout');
    await app.admin.delete(`/api-keys/${key.id}`);
    await page.getByRole('alert').getByText('Your session is over').waitFor();
    expect(await page.getByLabel('URL, host, or host:port').isVisible()).toBe(false);
    expect(await user.barriers()).toEqual([]);

    await page.getByLabel('API key').fill(app.write.key ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('URL, host, or host:port').waitFor();
    expect(await page.getByLabel('URL, host, or host:port').inputValue()).toBe('https://shop.example.com/checkout');
    await page.getByText('Live', { exact: true }).waitFor();
    await user.close();
  });

  it('shows nothing of an organization to a key of another one', async () => {
    const key = await newKey(app.admin, 'write');
    const user = await signedIn(key.key);
    const { page } = user;
    await user.open('/new');
    await page.getByLabel('URL, host, or host:port').fill('https://secret.example.com/');
    await app.admin.delete(`/api-keys/${key.id}`);
    await page.getByRole('alert').getByText('Your session is over').waitFor();
    const other = await app.organization('Other');
    await page.getByLabel('API key').fill(other.write.key ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.getByLabel('URL, host, or host:port').waitFor();
    expect(await page.getByLabel('URL, host, or host:port').inputValue()).toBe('');
    await user.close();
  });

  it('does not mention a session that the user ended here, and shows where the key is', async () => {
    const user = await signedIn(app.read.key ?? '');
    const { page } = user;
    await page.getByRole('button', { name: /Sign out/ }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.type')).toBe('password');
    await page.getByText('Where is my key?').click();
    await page.getByText('npm run keys -- create --role admin').waitFor();
    expect(await user.barriers()).toEqual([]);
    await user.close();
  });

  it('creates a key that expires, and marks one that has expired', async () => {
    const soon = new Date(Date.now() + 1500).toISOString();
    await app.admin.post('/api-keys', { name: 'Short', role: 'read', expires_at: soon });
    const user = await signedIn(app.admin.key ?? '');
    const { page } = user;
    await user.open('/settings/keys');
    const form = page.locator('form').filter({ hasText: 'Name of a new key' });
    await page.getByLabel('Name of a new key').fill('Contractor');
    await form.getByLabel('Expires').selectOption('30');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Copy the key “Contractor” now').waitFor();
    const made = (await app.admin.get<{ name: string; expires_at: string | null }[]>('/api-keys')).body;
    const days =
      (Date.parse(made.find(({ name }) => name === 'Contractor')?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);

    await form.getByLabel('Expires').selectOption('date');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Last day').and(page.locator('[aria-invalid]')).waitFor();
    await page.getByRole('row', { name: /Short/ }).getByText('expired').waitFor();
    await user.close();
  });

  it('shows the author and details of each change, filtered by kind', async () => {
    const website = (
      await app.write.post<{ id: string }>('/websites', { name: 'Shop', url: 'https://shop.example.com' })
    ).body;
    await app.write.put(`/websites/${website.id}`, { name: 'Store' });
    const user = await signedIn(app.admin.key ?? '');
    const { page } = user;
    await user.open('/settings/audit-log');
    const log = page.getByRole('region', { name: 'Audit log' });
    await log.getByText('Signed in').first().waitFor();
    await page.getByLabel('What').selectOption('website');
    await eventually('only websites are shown', async () => (await log.getByText('Signed in').count()) === 0);
    const change = log.getByRole('row').filter({ hasText: 'Changed website “Store”: name' });
    await change.locator('summary').click();
    expect(await change.locator('del').textContent()).toBe('Shop');
    expect(await change.locator('ins').textContent()).toBe('Store');
    expect(await user.barriers()).toEqual([]);
    await user.close();
  });

  it('shows which organization this is and how to get to another one', async () => {
    const user = await signedIn(app.read.key ?? '');
    const { page } = user;
    await user.open('/settings/organization');
    await page.getByRole('region', { name: 'Limits' }).waitFor();
    const own = (await app.read.get<{ id: string }>('/organization')).body;
    await page.locator('code', { hasText: own.id }).waitFor();
    expect(await user.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Sign in to another organization' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await user.close();
  });
});
