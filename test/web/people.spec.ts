import type { Browser, Page } from 'playwright-core';
import { SignInLinks } from '../../src/identity/session/sign-in-links';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { hashCheaply } from '../harness/app/person';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit, type VisitOptions } from './browser';

jest.setTimeout(120_000);

const PASSWORD = 'three wise monkeys';

describe('people in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Visit;
  let bo: Visit;
  let invitation: string;
  let keyOfBo: string;
  let endpoint: string;
  const visits: Visit[] = [];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    hashCheaply(app);
    endpoint = await newEndpoint(app.write, await newWebsite(app.write, 'Example shop'));
    await app.app
      .get(Database)
      .query('UPDATE endpoint_state SET status = 0 WHERE endpoint_id = $1', [parseId('endpoint', endpoint)]);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    // Chromium logs each response that refuses something.
    const complaints = visits.flatMap((visit) => visit.complaints);
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  const visit = async (options: VisitOptions = {}): Promise<Visit> => {
    const started = await Visit.start(browser, app.url, options);
    visits.push(started);
    return started;
  };
  const heading = ({ page }: Visit, name: string | RegExp) => page.getByRole('heading', { name });
  const button = ({ page }: Visit, name: string | RegExp) => page.getByRole('button', { name });
  const field = ({ page }: Visit, label: string) => page.getByLabel(label, { exact: true });
  const signedIn = ({ page }: Visit) => page.getByRole('navigation', { name: 'Main' }).waitFor();
  /** Sends a request as the page does, with its cookie and from its origin. */
  const send = <T>({ page }: Visit, method: string, path: string, body?: object): Promise<T> =>
    page.evaluate<T>(
      `fetch(${JSON.stringify(path)}, { method: '${method}', headers: { 'content-type': 'application/json' }, body: ${
        body === undefined ? 'undefined' : `'${JSON.stringify(body)}'`
      } }).then((response) => response.text()).then((text) => JSON.parse(text || 'null'))`,
    );
  /** Everything fits in one column, and nothing is cut at 320 pixels. */
  const isFitting = async (on: Visit): Promise<void> => {
    const size = on.page.viewportSize();
    expect(await on.barriers()).toEqual([]);
    await on.page.setViewportSize({ width: 320, height: 700 });
    expect(await on.overflow()).toBe(0);
    if (size) await on.page.setViewportSize(size);
  };
  const attributes = async (page: Page, label: string) => {
    const input = page.getByLabel(label, { exact: true });
    return [await input.getAttribute('type'), await input.getAttribute('autocomplete')];
  };

  it('start with an administrator who has a key, and is asked to create an account', async () => {
    const first = await visit();
    await first.signIn(app.admin.key ?? '');
    const nudge = first.page.getByRole('complementary', { name: 'Your account' });
    await nudge.getByText('Signed in with the key').waitFor();
    expect(await first.barriers()).toEqual([]);
    await nudge.getByRole('button', { name: 'Create an account' }).click();
    await field(first, 'Email').fill('later@example.com');
    await button(first, 'Continue').click();
    await heading(first, /invites you to “Default”/).waitFor();
    await first.page.getByText('Your account takes its place').waitFor();
    expect(await field(first, 'Email').inputValue()).toBe('later@example.com');
    await first.close();
  });

  it('create the first account with the link of the start, without a trace of it in the URL', async () => {
    const token = await app.app.get(SignInLinks).create();
    ada = await visit();
    await ada.open(`/sign-in/${token}`);
    await heading(ada, 'Create your account').waitFor();
    expect(ada.page.url()).not.toContain(token);
    await isFitting(ada);
    expect([await attributes(ada.page, 'Email'), await attributes(ada.page, 'Password')]).toEqual([
      ['email', 'username'],
      ['password', 'new-password'],
    ]);
    await field(ada, 'Name').and(ada.page.locator(':focus')).waitFor();
    await field(ada, 'Name').fill('Ada');
    await field(ada, 'Email').fill('ada@example.com');
    await field(ada, 'Password').fill('qwertyuiopasdfgh');
    await button(ada, 'Create account').click();
    await ada.page.getByText('It is a single run of keys').waitFor();
    await field(ada, 'Password').fill(PASSWORD);
    await button(ada, /^Show/).click();
    expect(await attributes(ada.page, 'Password')).toEqual(['text', 'new-password']);
    await button(ada, 'Create account').click();
    await signedIn(ada);
    await button(ada, 'Sign out Ada').waitFor();
  });

  it('invite by a link, whose page shows who invites and where to, and create an account', async () => {
    await ada.open('/settings/people');
    await field(ada, 'Email').fill('bo@example.com');
    await field(ada, 'Role').selectOption('admin');
    await button(ada, 'Invite').click();
    invitation = (await ada.page.locator('main pre').textContent()) ?? '';
    expect(invitation).toMatch(`${app.url}/#/sign-in/`);
    bo = await visit({ width: 390, colorScheme: 'dark' });
    await bo.page.goto(invitation);
    await heading(bo, 'Ada invites you to “Default”').waitFor();
    await bo.page.getByText('Your role is admin').waitFor();
    await isFitting(bo);
    expect(await field(bo, 'Email').isEditable()).toBe(false);
    await field(bo, 'Name').fill('Bo');
    await field(bo, 'Password').fill(PASSWORD);
    await button(bo, 'Create account').click();
    await signedIn(bo);
    const key = { name: 'Terraform', role: 'read' };
    keyOfBo = (await send<{ key: string }>(bo, 'POST', '/api/v1/api-keys', key)).key;
  });

  it('acknowledge by name, which others see without a reload', async () => {
    await ada.open(`/endpoints/${endpoint}`);
    await heading(ada, 'Checkout').waitFor();
    await bo.open(`/endpoints/${endpoint}`);
    await button(bo, 'Acknowledge').click();
    await bo.page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await ada.page.getByText('Acknowledged by Bo').waitFor();
  });

  it('lose a role in the middle of a session: changes that are no longer allowed are refused, and their buttons disappear', async () => {
    await button(bo, 'Remove acknowledgement').waitFor();
    await ada.open('/settings/people');
    await field(ada, 'Role of Bo').selectOption('read');
    await ada.page.getByText('Bo now has the role read.').waitFor();
    await button(bo, 'Remove acknowledgement').click();
    await button(bo, 'Remove acknowledgement').waitFor({ state: 'detached' });
    await bo.page.getByText('Acknowledged by Bo').waitFor();
  });

  it('join a second organization by a link, switch to it and back, and no older window writes there', async () => {
    const other = await app.organization('Other');
    const { body } = await other.admin.post<{ token: string }>('/invitations', {
      email: 'ada.l@example.com',
      role: 'admin',
    });
    const second = await ada.another();
    visits.push(second);
    await second.open(`/sign-in/${body.token}`);
    await second.page.getByText('is for ada.l@example.com, but you are signed in as ada@example.com').waitFor();
    expect(await second.barriers()).toEqual([]);
    await button(second, 'Join as Ada').click();
    await button(second, 'Organization Other').waitFor();
    await heading(second, 'No endpoints yet').waitFor();

    await ada.open('/settings/organization');
    await ada.page.getByText('You switched to “Other” in another window').waitFor();
    expect(await ada.barriers()).toEqual([]);
    await button(ada, 'Back to Default').click();
    await ada.page.getByText('Live', { exact: true }).waitFor();
    await ada.page.getByRole('region', { name: 'Limits' }).waitFor();

    await second.open('/contacts');
    await second.page.getByText('You switched to “Default” in another window').waitFor();
    await button(second, 'Go to Default').click();
    await button(second, 'Organization Default').click();
    expect(await second.barriers()).toEqual([]);
    await button(second, 'Other').click();
    await heading(second, 'No endpoints yet').waitFor();
    await second.page.close();
  });

  it('who are removed see nothing any more, and learn how to get access again', async () => {
    await button(ada, 'Back to Default').click();
    await ada.open('/settings/people');
    await button(ada, 'Remove Bo').click();
    await ada.page.getByRole('dialog').getByLabel('Also revoke it').check();
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await button(ada, 'Remove Bo').waitFor({ state: 'detached' });
    expect((await fetch(`${app.url}/api/v1/websites`, { headers: { 'x-api-key': keyOfBo } })).status).toBe(401);
    await bo.open('/alerts');
    await heading(bo, 'You are not in an organization').waitFor();
    await isFitting(bo);
    await button(bo, 'My account').click();
    await bo.page.getByRole('button', { name: 'Erase my account' }).waitFor();
    await isFitting(bo);
    await button(bo, 'Back').click();
    await button(bo, 'Sign out').click();
    await heading(bo, 'Sign in').waitFor();
  });

  it('who use an expired link can still sign in', async () => {
    await bo.page.goto(invitation);
    await bo.page.getByRole('alert').getByText('This link has already been used').waitFor();
    await isFitting(bo);
    expect(await attributes(bo.page, 'Password')).toEqual(['password', 'current-password']);
    await field(bo, 'Email').fill('bo@example.com');
    await field(bo, 'Password').fill('a mill by the river');
    await button(bo, 'Sign in').click();
    await bo.page.getByText('Wrong email or password.').waitFor();
    await field(bo, 'Password').fill(PASSWORD);
    await bo.page.keyboard.press('Enter');
    await heading(bo, 'You are not in an organization').waitFor();
  });

  it('who were invited again sign in and join in one step', async () => {
    await button(bo, 'Sign out').click();
    await heading(bo, 'Sign in').waitFor();
    const { token } = await send<{ token: string }>(ada, 'POST', '/api/v1/invitations', {
      email: 'bo@example.com',
      role: 'read',
    });
    await bo.open(`/sign-in/${token}`);
    // Only the browser of an account shows that the account exists.
    await button(bo, 'I have an account here').click();
    await bo.page.getByText('Sign in with your account to join').waitFor();
    await field(bo, 'Password').fill(PASSWORD);
    await button(bo, 'Sign in and join').click();
    await signedIn(bo);
  });

  it('learn why single sign-on did not sign them in, and sign out', async () => {
    await button(ada, 'Sign out Ada').click();
    await heading(ada, 'Sign in').waitFor();
    await ada.open('/sign-in/problem/not_invited');
    await ada.page.getByRole('alert').getByText('You do not have an account here yet').waitFor();
    await ada.signIn(app.read.key ?? '');
    expect(await ada.page.getByRole('complementary', { name: 'Your account' }).count()).toBe(0);
  });
});
