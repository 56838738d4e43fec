import { InstallationPeople } from '../../../../src/identity/people/installation-people.service';
import { codeAt, stepAt } from '../../../../src/identity/person/totp';
import { Database } from '../../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../../src/platform/ids/id';
import { Clock } from '../../../../src/platform/time/clock';
import type { Api } from '../../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../../packages/testing/service/start-service';
import type { TestApp } from '../../../harness/app/app';
import { Browser } from '../../../harness/app/browser';
import { fromBase32, newPerson, PASSWORD } from '../../../harness/app/person';
import type { HostileIssuer } from '../../../harness/servers/hostile-issuer';

/** The creator of a token: an admin in a browser, or an admin key. */
export interface By {
  post<Body>(path: string, body?: object): Promise<Body>;
  get<Body>(path: string): Promise<Body>;
}

export type Person = Browser & { id: string; uuid: string; email: string };

/** An organization with an admin who creates a token, another admin, and a member whom the token is for. */
export class TokenScene {
  private constructor(
    readonly app: TestApp,
    readonly issuer: HostileIssuer,
    readonly organization: ServiceOrganization,
    readonly boss: Person,
    readonly maker: Person,
    readonly subject: Person,
    readonly key: { id: string; api: By },
    /** `maker` or the key. */
    readonly by: By,
  ) {}

  static async make(app: TestApp, issuer: HostileIssuer, isByKey: boolean): Promise<TokenScene> {
    const organization = await app.organization('Scene');
    const [boss, maker, subject] = [
      await person(organization.admin, 'Boss', 'admin'),
      await person(organization.admin, 'Maker', 'admin'),
      await person(organization.admin, 'Subject', 'read'),
    ];
    const made = await byBrowser(boss).post<{ id: string; key: string }>('/api-keys', { name: 'Maker', role: 'admin' });
    const key = { id: made.id, api: byKey(app.url, made.key) };
    return new TokenScene(app, issuer, organization, boss, maker, subject, key, isByKey ? key.api : byBrowser(maker));
  }

  sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.app.get(Database).query<Row>(text, values);
  }

  get machine(): InstallationPeople {
    return this.app.app.get(InstallationPeople);
  }

  async elsewhere(): Promise<Browser> {
    const browser = new Browser(this.app);
    await did(browser.send('POST', '/auth/session', { email: this.subject.email, password: PASSWORD }));
    return browser;
  }

  /** Lets the member join an organization with an invitation for another email. */
  async join(into: ServiceOrganization): Promise<void> {
    const email = `${newUuid()}@example.com`;
    const { body } = await into.admin.post<{ token: string }>('/invitations', { email, role: 'read' });
    await did(this.subject.send('POST', '/auth/join', { token: body.token }));
  }

  /** The member sets up a second factor in another browser, which ends all other sessions. */
  async setUpSecondFactor(): Promise<void> {
    const browser = await this.elsewhere();
    const path = '/auth/account/second-factor';
    const { secret } = await did(browser.send<{ secret: string }>('POST', path, { current_password: PASSWORD }));
    const code = codeAt(fromBase32(secret), stepAt(this.app.app.get(Clock).now()));
    await did(browser.send('POST', `${path}/confirm`, { code }));
  }

  async removeOrganization(): Promise<void> {
    const { status } = await this.app.operator.delete(
      `/organizations/${formatId('organization', this.organization.orgId)}`,
    );
    if (status !== 204) throw new Error(`the organization was not removed: ${status}`);
  }
}

/** Throws if a request was refused, because the test depends on it. */
export async function did<Body>(sent: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await sent;
  if (status >= 300) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
  return body;
}

async function person(by: Api, name: string, role: string): Promise<Person> {
  const local = `${name.toLowerCase()}-${newUuid()}`;
  const made = await newPerson(by, local, role);
  return Object.assign(made, {
    uuid: parseId('person', made.id) ?? '',
    email: `${local.replace(/\W+/g, '.')}@example.com`,
  });
}

export const byBrowser = (browser: Browser): By => ({
  post: <Body>(path: string, body: object = {}) => did(browser.send<Body>('POST', `/api/v1${path}`, body)),
  get: <Body>(path: string) => did(browser.send<Body>('GET', `/api/v1${path}`)),
});

const byKey = (url: string, key: string): By => {
  const send = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return did(response.json().then((json) => ({ status: response.status, body: json as Body })));
  };
  return { post: (path, body = {}) => send('POST', path, body), get: (path) => send('GET', path) };
};
