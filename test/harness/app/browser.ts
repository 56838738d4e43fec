export interface BrowserResponse<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface Redirected {
  status: number;
  location: string;
  /** The names of the cookies set by the response. */
  cookies: string[];
}

/**
 * A browser that keeps its cookies and sends the same headers as the dashboard. `service` may have another URL after a
 * restart.
 */
export class Browser {
  private readonly jar = new Map<string, string>();

  constructor(private readonly service: { readonly url: string }) {}

  /** The cookies as a request header. */
  get cookie(): string {
    return this.cookies([...this.jar.keys()]);
  }

  /** The session cookie in the form that a real browser accepts. */
  get asCookie(): { name: string; value: string; url: string } {
    const [[name, value] = ['', '']] = this.jar;
    return { name, value, url: this.service.url };
  }

  has(name: string): boolean {
    return this.jar.has(name);
  }

  /** Copies another browser's cookies, like an attacker would. */
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

  /**
   * Follows the redirect from the single sign-on provider. The provider is another site, so Strict cookies aren't sent.
   */
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

/** Returns the cookies that the response sets, excluding those it deletes. */
const setBy = (response: Response): string[] =>
  response.headers.getSetCookie().flatMap((line) => /^([^=]+)=[^;]/.exec(line)?.[1] ?? []);
