import type { TestApp } from './app';

/** Where a browser was sent. */
export interface Redirected {
  status: number;
  location: string;
  /** Names of the cookies that it got. */
  cookies: string[];
}

/** What the dashboard gets. */
export interface Seen<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** A browser that goes to a provider and comes back: it keeps every cookie, and sends what browsers send. */
export class Visitor {
  private readonly jar = new Map<string, string>();

  constructor(private readonly app: TestApp) {}

  /** What the dashboard sends. */
  async send<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Seen<Body>> {
    const response = await this.fetch(path, {
      method,
      headers: { 'content-type': 'application/json', origin: this.app.url, 'sec-fetch-site': 'same-origin' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }

  /** The way back from another site: Strict cookies stay at home. */
  async comeBack(search: string): Promise<Redirected> {
    const path = `/auth/oidc/callback${search}`;
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const response = await this.fetch(path, { headers, redirect: 'manual' }, [...this.jar.keys()].filter(isLax));
    await response.text();
    return { status: response.status, location: response.headers.get('location') ?? '', cookies: setBy(response) };
  }

  /** As somebody who has copied the cookies of another browser. */
  copy(other: Visitor): this {
    for (const [name, value] of other.jar) this.jar.set(name, value);
    return this;
  }

  has(name: string): boolean {
    return this.jar.has(name);
  }

  private async fetch(path: string, init: RequestInit, names: readonly string[] = [...this.jar.keys()]) {
    const cookie = names.map((name) => `${name}=${this.jar.get(name)}`).join('; ');
    const response = await fetch(`${this.app.url}${path}`, { ...init, headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return response;
  }
}

const isLax = (name: string): boolean => name.endsWith('_oidc');

/** Cookies that are given, not taken away. */
const setBy = (response: Response): string[] =>
  response.headers.getSetCookie().flatMap((line) => /^([^=]+)=[^;]/.exec(line)?.[1] ?? []);
