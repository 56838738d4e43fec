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
