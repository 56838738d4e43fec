export interface BrowserResponse<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Where a browser was sent. */
export interface Redirected {
  status: number;
  location: string;
  /** Names of the cookies that it got. */
  cookies: string[];
}

/** A browser: keeps its cookies, and sends what the dashboard sends. `service` may have another address after a restart. */
export class Browser {
  private readonly jar = new Map<string, string>();

  constructor(private readonly service: { readonly url: string }) {}

  /** Its cookies as the header of a request. */
  get cookie(): string {
    return this.cookies([...this.jar.keys()]);
  }

  /** The cookie of its session as a real browser takes it. */
  get asCookie(): { name: string; value: string; url: string } {
    const [[name, value] = ['', '']] = this.jar;
    return { name, value, url: this.service.url };
  }

  has(name: string): boolean {
    return this.jar.has(name);
  }

  /** As somebody who has copied the cookies of another browser. */
  copy(other: Browser): this {
    for (const [name, value] of other.jar) this.jar.set(name, value);
    return this;
  }

  async send<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BrowserResponse<Body>> {
    const ours = { 'content-type': 'application/json', origin: this.service.url, 'sec-fetch-site': 'same-origin' };
    const response = await this.fetch(path, {
      method,
      headers: { cookie: this.cookie, ...ours, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }

  /** The way back from the provider of single sign-on, another site: Strict cookies stay at home. */
  async comeBack(search: string): Promise<Redirected> {
    const cookie = this.cookies([...this.jar.keys()].filter((name) => name.endsWith('_oidc')));
    const headers = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const response = await this.fetch(`/auth/oidc/callback${search}`, { headers, redirect: 'manual' });
    await response.text();
    return { status: response.status, location: response.headers.get('location') ?? '', cookies: setBy(response) };
  }

  private cookies(names: readonly string[]): string {
    return names.map((name) => `${name}=${this.jar.get(name)}`).join('; ');
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${this.service.url}${path}`, init);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return response;
  }
}

/** Cookies that are given, not taken away. */
const setBy = (response: Response): string[] =>
  response.headers.getSetCookie().flatMap((line) => /^([^=]+)=[^;]/.exec(line)?.[1] ?? []);
