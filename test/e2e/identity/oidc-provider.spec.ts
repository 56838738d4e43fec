/** @lane slow */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { OidcProviderProcess } from '../../harness/processes/oidc-provider';

const HOME = 'https://uptime.example.com';

interface Session {
  person: { id: string; name: string; email: string | null };
  organizations: { name: string; role: string }[];
}

describe('a certified provider', () => {
  let app: TestApp;
  let provider: OidcProviderProcess;

  const begin = async (browser: Browser): Promise<string> => {
    const { status, body } = await browser.send<{ location: string }>('POST', '/auth/oidc', {});
    expect(status).toBe(200);
    return body.location;
  };
  const go = async (browser: Browser, name: string | null): Promise<string> => {
    const search = await provider.signIn(await begin(browser), name);
    return (await browser.comeBack(search)).location;
  };
  const session = async (browser: Browser) => (await browser.send<Session>('GET', '/auth/session')).body;

  beforeAll(async () => {
    provider = await OidcProviderProcess.start(`${HOME}/auth/oidc/callback`);
    app = await startOwnApp(
      {
        role: 'api',
        publicUrl: HOME,
        oidcIssuer: provider.issuer,
        oidcClientId: 'uptime',
        oidcClientSecret: 'the secret: of a client/+%',
        oidcScopes: 'openid profile email groups',
        groupRoles: ['ops=Default:admin'],
      },
      { durable: true },
    );
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });

  it('signs its known users in with its data, after they consented', async () => {
    const ada = new Browser(app);
    expect(await go(ada, 'ops-ada')).toBe(`${HOME}/`);
    expect(await session(ada)).toMatchObject({
      person: { name: 'ops-ada of the provider', email: 'ops-ada@example.com' },
      organizations: [{ name: 'Default', role: 'admin' }],
    });
    const again = new Browser(app);
    expect(await go(again, 'ops-ada')).toBe(`${HOME}/`);
    expect((await session(again)).person).toEqual((await session(ada)).person);
    expect(await go(new Browser(app), 'stranger')).toBe(`${HOME}/#/sign-in/problem/not_invited`);
    expect(await go(new Browser(app), null)).toBe(`${HOME}/#/sign-in/problem/denied`);
  });

  it('accepts each code once', async () => {
    const ada = new Browser(app);
    const location = await begin(ada);
    const copy = new Browser(app).copy(ada);
    const search = await provider.signIn(location, 'ops-ada');
    expect((await ada.comeBack(search)).location).toBe(`${HOME}/`);
    // Another process does not know that the flow was used.
    await app.stop();
    await app.restart();
    expect((await copy.comeBack(search)).location).toBe(`${HOME}/#/sign-in/problem/refused`);
  });

  it('sends people back to a service that was restarted in the meantime', async () => {
    const ada = new Browser(app);
    const search = await provider.signIn(await begin(ada), 'ops-ada');
    await app.stop();
    await app.restart();
    expect((await ada.comeBack(search)).location).toBe(`${HOME}/`);
    expect((await session(ada)).person.name).toBe('ops-ada of the provider');
  });

  it('may be unreachable, and come back with other keys', async () => {
    const { port } = provider;
    await go(new Browser(app), 'ops-ada');
    const early = new Browser(app);
    const search = await provider.signIn(await begin(early), 'ops-ada');
    await provider.stop();
    expect((await early.comeBack(search)).location).toBe(`${HOME}/#/sign-in/problem/unreachable`);
    await app.advance('61 min');
    expect((await new Browser(app).send('POST', '/auth/oidc', {})).status).toBe(503);
    provider = await OidcProviderProcess.start(`${HOME}/auth/oidc/callback`, port);
    const late = new Browser(app);
    expect(await go(late, 'ops-ada')).toBe(`${HOME}/`);
    expect((await session(late)).person.name).toBe('ops-ada of the provider');
  });
});
