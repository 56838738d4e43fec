/** @lane slow */
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import { Database } from '../../../src/platform/database/database';
import { newUuid, parseId } from '../../../src/platform/ids/id';
import { type OpenApi, operationsOf } from '../../../packages/testing/contract/document/openapi';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply, PASSWORD } from '../../harness/app/person';
import { HostileIssuer } from '../../harness/servers/hostile-issuer';

const HOME = 'https://uptime.example.com';
const OTHER = 'a mill by the river';

interface Answer {
  what: string;
  status: number;
  headers: string[];
  body: string;
}
interface Made {
  id: string;
  token: string;
}

/** Replaces the parts that differ between two requests with the same meaning. */
const normalized = (text: string, email: string): string =>
  text
    .replaceAll(email, 'EMAIL')
    .replace(/\b[a-z]+_[0-9a-z]{26}\b/g, 'ID')
    .replace(/[\w-]{43}/g, 'TOKEN')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/127\.0\.0\.1:\d+/g, 'ADDRESS');

describe('an email that another organization knows', () => {
  let app: TestApp;
  let issuer: HostileIssuer;
  let a: ServiceOrganization;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const newEmail = (): string => `${newUuid()}@example.com`;
  /** Comes back from the provider as this user. */
  const go = async (browser: Browser, person: { sub: string; [claim: string]: unknown }, body: object = {}) => {
    issuer.person = person;
    const begun = await browser.send<{ location: string }>('POST', '/auth/oidc', body);
    if (begun.status !== 200) return String(begun.status);
    return (await browser.comeBack(issuer.signIn(begun.body.location))).location.slice(HOME.length);
  };
  const invite = async (by: ServiceOrganization, email: string): Promise<Made> =>
    (await by.admin.post<Made>('/invitations', { email, role: 'read' })).body;
  const account = async (by: ServiceOrganization, email: string, password = PASSWORD): Promise<Browser> => {
    const browser = new Browser(app);
    const { token } = await invite(by, email);
    const { status } = await browser.send('POST', '/auth/account', { token, name: 'Ada', password });
    expect(status).toBe(201);
    return browser;
  };
  const uuidOf = async (browser: Browser): Promise<string> =>
    parseId('person', (await browser.send<{ id: string }>('GET', '/auth/account')).body.id) ?? '';

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    app = await startOwnApp({
      role: 'api',
      publicUrl: HOME,
      oidcIssuer: issuer.url,
      oidcClientId: 'uptime',
      groupRoles: ['ops=Default:admin'],
    });
    hashCheaply(app);
    a = await app.organization('A');
  });
  beforeEach(() => app.advance('2 min'));
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  /** The ways in which an email may be known. Another organization must not find out about any of them. */
  const KNOWN: Readonly<Record<string, (email: string) => Promise<unknown>>> = {
    'of a member with a password': (email) => account(a, email),
    'of an operator': async (email) =>
      app.app.get(InstallationPeople).setOperator(await uuidOf(await account(a, email)), true),
    'of somebody in no organization': async (email) => {
      const browser = await account(a, email);
      const { body } = await browser.send<{ id: string }>('GET', '/auth/account');
      await browser.send('DELETE', `/api/v1/people/${body.id}`);
    },
    'that the provider verified': async (email) =>
      go(new Browser(app), { sub: email, email, email_verified: true, groups: ['ops'] }),
    'that is invited elsewhere': (email) => invite(a, email),
    'of two accounts': async (email) => {
      await account(a, email);
      await account(await app.organization('Third'), email, 'many hands make light work');
    },
  };

  /** Sends every request that an admin can send with an email or with the resulting IDs. Returns the responses. */
  async function answersTo(email: string, sent: Set<string>): Promise<Answer[]> {
    const b = await app.organization('B');
    const answers: Answer[] = [];
    const note = (what: string, status: number, headers: Iterable<string>, body: unknown): void => {
      const names = [...headers].filter((name) => name !== 'content-length').sort();
      answers.push({ what, status, headers: names, body: normalized(JSON.stringify(body), email) });
    };
    const admin = async <Body = Made>(
      method: 'get' | 'post' | 'put' | 'delete',
      path: string,
      body?: object,
    ): Promise<Body> => {
      const response =
        method === 'put'
          ? await b.admin.put<Body>(path, body ?? {})
          : method === 'post'
            ? await b.admin.post<Body>(path, body)
            : await b.admin[method]<Body>(path);
      sent.add(`${method.toUpperCase()} /api/v1${path}`);
      note(
        `${method} ${path.replace(/\w+_[0-9a-z]{26}/g, ':id')}`,
        response.status,
        Object.keys(response.headers),
        response.body,
      );
      return response.body;
    };
    const browse = async <Body = Made>(
      browser: Browser,
      method: string,
      path: string,
      body?: object,
    ): Promise<Body> => {
      const response = await browser.send<Body>(method, path, body);
      sent.add(`${method} ${path}`);
      note(`${method} ${path}`, response.status, response.headers.keys(), response.body);
      return response.body;
    };

    await admin('post', '/invitations', { email, role: 'admin' });
    const { token } = await admin('post', '/invitations', { email, role: 'read' });
    await admin('get', '/invitations');
    const [mine, again] = [new Browser(app), new Browser(app)];
    await browse(mine, 'POST', '/auth/link', { token });
    await browse(mine, 'POST', '/auth/account', { token, name: 'Mine', password: OTHER });
    await browse(mine, 'POST', '/auth/link', { token });
    const { id } = await browse(mine, 'GET', '/auth/account');
    await browse(again, 'POST', '/auth/session', { email, password: OTHER });
    await browse(again, 'POST', '/auth/session', { email, password: 'what the other one might have' });
    await browse(mine, 'PUT', '/auth/account', {
      name: 'Mine again',
      password: 'one more wise monkey',
      current_password: OTHER,
    });
    await browse(again, 'POST', '/auth/session', { email, password: 'one more wise monkey' });
    await admin('get', '/people');
    await admin('get', `/people/${id}`);
    await admin('put', `/people/${id}`, { role: 'write' });
    await admin('post', '/invitations', { email, role: 'read' });
    const link = await admin('post', `/people/${id}/password-link`);
    await browse(again, 'POST', '/auth/link', { token: link.token });
    await browse(again, 'POST', '/auth/password', { token: link.token, password: OTHER });
    await admin('delete', `/people/${id}/identities`);
    await admin('get', '/audit-log');
    await admin('delete', `/people/${id}`);
    const second = await admin('post', '/invitations', { email, role: 'read' });
    await browse(again, 'POST', '/auth/join', { token: second.token });
    await admin('delete', `/people/${id}`);
    const third = await admin('post', '/invitations', { email, role: 'read' });
    await browse(new Browser(app), 'POST', '/auth/account', {
      token: third.token,
      name: 'Other',
      password: 'far more wise monkeys',
    });
    await admin('get', '/people');
    const sso = await app.organization('B');
    const invited = await invite(sso, email);
    for (const claims of [{ email_verified: false }, {}]) {
      const where = await go(new Browser(app), { sub: newUuid(), email, ...claims }, { token: invited.token });
      answers.push({ what: 'single sign-on', status: 303, headers: [], body: normalized(where, email) });
    }
    await app.advance('1 min');
    return answers;
  }

  it.each(Object.keys(KNOWN))(
    '%s gets the same responses as an unknown email, in every request that takes one',
    async (how) => {
      const known = newEmail();
      await KNOWN[how]?.(known);
      const sent = new Set<string>();
      const [of, unknown] = [await answersTo(known, sent), await answersTo(newEmail(), new Set())];
      expect(of).toEqual(unknown);
      expect(of.filter(({ status }) => status === 429)).toEqual([]);
      // An operation that takes an email and is missing from the script could reveal something.
      const document = (await app.anonymous.get<OpenApi>('/openapi.json')).body;
      const schemas = document.components.schemas;
      const withEmail = operationsOf(document).filter(({ requestBody }) => {
        const ref = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
        return 'email' in (schemas[ref]?.properties ?? {});
      });
      expect(withEmail.map(({ name }) => name).filter((name) => !sent.has(name))).toEqual([]);
    },
  );

  it('takes as long to compare as any other, because all accounts with it share a salt', async () => {
    const email = newEmail();
    await account(a, email);
    await account(await app.organization('B'), email, OTHER);
    const stored = await sql<{ password: string }>('SELECT password FROM person WHERE email = $1', [email]);
    const salts = stored.map(({ password }) => password.slice(0, password.lastIndexOf('$')));
    expect([salts.length, new Set(salts).size]).toEqual([2, 1]);
  });

  it('does not lock out the person who has verified it or is invited, if another person claims it', async () => {
    const b = await app.organization('B');
    const claimed = [newEmail(), newEmail()] as const;
    for (const email of claimed) await account(b, email, OTHER);
    const boss = new Browser(app);
    expect(await go(boss, { sub: newUuid(), email: claimed[0], email_verified: true, groups: ['ops'] })).toBe('/');
    expect((await boss.send<{ person: object }>('GET', '/auth/session')).body.person).toMatchObject({
      email: claimed[0],
    });
    await account(a, claimed[1]);
    const name = async (password: string) =>
      (
        await new Browser(app).send<{ organization: { name: string } }>('POST', '/auth/session', {
          email: claimed[1],
          password,
        })
      ).body.organization.name;
    expect([await name(PASSWORD), await name(OTHER)]).toEqual(['A', 'B']);
  });

  it('with the password of an existing account is refused, and each attempt counts as a guess', async () => {
    const email = newEmail();
    await account(a, email);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const b = await app.organization('B');
      const { token } = await invite(b, email);
      const password = n === 0 ? PASSWORD : `${OTHER} ${n}`;
      statuses.push((await new Browser(app).send('POST', '/auth/account', { token, name: 'Guess', password })).status);
    }
    // The first account also counts.
    expect(statuses).toEqual([409, ...Array<number>(9).fill(201), 429, 429]);
  });

  it('has at most one account without an organization for each organization that invites it repeatedly', async () => {
    const email = newEmail();
    const b = await app.organization('B');
    for (const password of [OTHER, `${OTHER} again`, `${OTHER} once more`]) {
      const browser = await account(b, email, password);
      const { body } = await browser.send<{ id: string }>('GET', '/auth/account');
      await b.admin.delete(`/people/${body.id}`);
    }
    expect(await sql('SELECT FROM person WHERE email = $1', [email])).toHaveLength(1);
  });

  it('reveals in a link that it has an account only in the browser of that account', async () => {
    const email = newEmail();
    const owner = await account(a, email);
    const { token } = await invite(await app.organization('B'), email);
    const knows = async (browser: Browser) =>
      (await browser.send<{ has_account: boolean }>('POST', '/auth/link', { token })).body.has_account;
    expect([await knows(owner), await knows(await account(a, newEmail())), await knows(new Browser(app))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
