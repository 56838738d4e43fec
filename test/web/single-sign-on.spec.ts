import type { Browser, Page } from 'playwright-core';
import { SignInLinks } from '../../src/identity/session/sign-in-links';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { hashCheaply } from '../harness/app/person';
import { OidcProviderProcess } from '../harness/processes/oidc-provider';
import { launchBrowser, Visit, type VisitOptions } from './browser';
import { Cable } from './cable';

jest.setTimeout(120_000);

describe('single sign-on in the dashboard', () => {
  let app: TestApp;
  let cable: Cable;
  let provider: OidcProviderProcess;
  let browser: Browser;
  let home: string;
  let ada: Visit;
  const visits: Visit[] = [];

  beforeAll(async () => {
    // The provider needs the URL before the service listens. As usual, it is another site, so its requests carry no
    // Strict cookies.
    cable = await Cable.to();
    home = cable.url.replace('127.0.0.1', 'localhost');
    provider = await OidcProviderProcess.start(`${home}/auth/oidc/callback`);
    app = await startOwnApp({
      role: 'api',
      publicUrl: home,
      oidcIssuer: provider.issuer,
      oidcClientId: 'uptime',
      oidcClientSecret: 'the secret: of a client/+%',
      oidcName: 'Example ID',
      oidcScopes: 'openid profile email groups',
      groupRoles: ['ops=Default:admin'],
    });
    cable.lead(app.url);
    hashCheaply(app);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await provider.stop();
    cable.close();
    // The provider serves its own pages. Requests after a sign-out are refused.
    const complaints = visits.flatMap((visit) => visit.complaints);
    const expected = /^request to .*(127\.0\.0\.1|googleapis)|status of 401/;
    expect(complaints.filter((text) => !expected.test(text))).toEqual([]);
  });

  const visit = async (options: VisitOptions = {}): Promise<Visit> => {
    const started = await Visit.start(browser, home, options);
    // A font that the provider's pages would load from the network.
    await started.context.route(/googleapis/, (route) => route.fulfill({ contentType: 'text/css', body: '' }));
    visits.push(started);
    return started;
  };
  const button = ({ page }: Visit, name: string) => page.getByRole('button', { name, exact: true });
  const heading = ({ page }: Visit, name: string) => page.getByRole('heading', { name, exact: true });
  /** Signs in at the provider: types the name, and gives consent to share data with the service. */
  const signInThere = async (page: Page, name: string): Promise<void> => {
    await page.getByPlaceholder('Enter any login').fill(name);
    await page.getByPlaceholder('and password').fill('x');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
  };

  it('is connected once with an account that has a password, which shows the identity there', async () => {
    ada = await visit();
    await ada.open(`/sign-in/${await app.app.get(SignInLinks).create()}`);
    await heading(ada, 'Create your account').waitFor();
    expect(await ada.barriers()).toEqual([]);
    await ada.page.getByLabel('Name', { exact: true }).fill('Ada');
    await ada.page.getByLabel('Email', { exact: true }).fill('ada@example.com');
    await ada.page.getByLabel('Password', { exact: true }).fill('three wise monkeys');
    await button(ada, 'Create account').click();
    await button(ada, 'Sign out Ada').waitFor();
    await ada.open('/settings/account');
    await button(ada, 'Connect Example ID').click();
    await signInThere(ada.page, 'lovelace');
    await ada.page.getByText(/^lovelace, since /).waitFor();
    await ada.page.getByText(provider.issuer).waitFor();
    expect(new URL(ada.page.url()).hash).toBe('#/settings/account');
    expect(await button(ada, 'Connect Example ID').count()).toBe(0);
    expect(await ada.barriers()).toEqual([]);
  });

  it('signs the same account in after it has signed out, without a password', async () => {
    await button(ada, 'Sign out Ada').click();
    await heading(ada, 'Sign in').waitFor();
    expect(await ada.barriers()).toEqual([]);
    // The provider remembers the user, so no input is needed.
    await button(ada, 'Continue with Example ID').click();
    await button(ada, 'Sign out Ada').waitFor();
    await ada.open('/settings/account');
    const here = ada.page.getByRole('region', { name: 'Sessions' }).getByRole('row', { name: 'this browser' });
    await here.getByText('single sign-on').waitFor();
  });

  it('creates an account for a user in a group, with their name at the provider, on a phone', async () => {
    const bo = await visit({ width: 320, colorScheme: 'dark' });
    await bo.open('/alerts');
    await heading(bo, 'Sign in').waitFor();
    expect([await bo.overflow(), await bo.barriers()]).toEqual([0, []]);
    await button(bo, 'Continue with Example ID').click();
    await signInThere(bo.page, 'ops-bo');
    await button(bo, 'Sign out ops-bo of the provider').waitFor();
    await ada.open('/settings/people');
    await ada.page.getByRole('row', { name: 'ops-bo of the provider' }).getByText('through a group').waitFor();
    expect(await ada.barriers()).toEqual([]);
  });

  it('does not sign in a user who was not invited, or who cancels there, and explains it', async () => {
    const stranger = await visit();
    await stranger.open('/');
    await button(stranger, 'Continue with Example ID').click();
    await stranger.page.getByRole('link', { name: 'Cancel' }).click();
    await stranger.page.getByRole('alert').getByText('Single sign-on was canceled').waitFor();
    await button(stranger, 'Continue with Example ID').click();
    await signInThere(stranger.page, 'stranger');
    await stranger.page.getByRole('alert').getByText('You do not have an account here yet').waitFor();
  });
});
