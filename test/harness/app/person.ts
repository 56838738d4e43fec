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

  /** The cookie as a real browser takes it. */
  get asCookie(): { name: string; value: string; url: string } {
    const [name = '', value = ''] = this.cookie.split('=');
    return { name, value, url: this.url };
  }

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

/** A new member, signed in in a browser. The e-mail is made of the name. */
export async function newMember(
  app: TestApp,
  name: string,
  role: 'read' | 'write' | 'admin' = 'write',
): Promise<Browser> {
  const browser = new Browser(app.url);
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
  const { body } = await app.admin.post<{ token: string }>('/invitations', { email, role });
  const fields = { token: body.token, name, password: 'three wise monkeys' };
  const { status } = await browser.send('POST', '/auth/account', fields);
  if (status !== 201) throw new Error(`no account for ${name}: ${status}`);
  return browser;
}
