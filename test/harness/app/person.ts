import type { Api } from '../../../packages/testing/service/api';
import { Passwords } from '../../../src/identity/person/passwords.service';
import type { TestApp } from './app';

export interface Answer<Body> {
  status: number;
  body: Body;
}

/** A browser: keeps its cookie, and sends what the dashboard sends. */
export class Browser {
  cookie = '';

  constructor(private readonly url: string) {}

  async send<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        cookie: this.cookie,
        'content-type': 'application/json',
        origin: this.url,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const set = response.headers.get('set-cookie')?.split(';')[0];
    if (set !== undefined) this.cookie = set;
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }
}

/** Hashing takes no time in this service. */
export function hashCheaply(app: TestApp): void {
  app.app.get(Passwords).cost = { ln: 4, r: 8, p: 1 };
}

/** A password that is good enough for anybody. */
export const PASSWORD = 'three wise monkeys';

/** Somebody who was invited to the organization of this key and has joined it, in a browser of their own. */
export async function newPerson(by: Api, name: string, role = 'write'): Promise<Browser & { id: string }> {
  const email = `${name.toLowerCase().replace(/\W+/g, '.')}@example.com`;
  const { body } = await by.post<{ token: string }>('/invitations', { email, role });
  const browser = new Browser(by.url);
  const made = await browser.send<{ person: { id: string } }>('POST', '/auth/account', {
    token: body.token,
    name,
    password: PASSWORD,
  });
  if (made.status !== 201) throw new Error(`${name} has no account: ${made.status} ${JSON.stringify(made.body)}`);
  return Object.assign(browser, { id: made.body.person.id });
}
