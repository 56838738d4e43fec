import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** `oidc-provider` as a separate process. Its users type a name and give their consent. */
export class OidcProviderProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly issuer: string,
  ) {}

  /** If `port` is 0, a free port is used. */
  static async start(redirectUri: string, port = 0): Promise<OidcProviderProcess> {
    const script = join(__dirname, 'oidc-provider-process.mjs');
    const child = spawn(process.execPath, [script, String(port), redirectUri], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    const issuer = await new Promise<string>((resolve, reject) => {
      // Reads until the end, because a process that writes to a closed pipe exits.
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /ready (\S+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`oidc-provider ended: ${said}`)));
    });
    return new OidcProviderProcess(child, issuer);
  }

  get port(): number {
    return Number(new URL(this.issuer).port);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  /**
   * Signs in a user with this name at `location`. With `null`, the user cancels. Returns the query string of the
   * redirect back.
   */
  async signIn(location: string, name: string | null): Promise<string> {
    const jar = new Map<string, string>();
    let url = location;
    let form: URLSearchParams | null = null;
    for (let step = 0; step < 20; step++) {
      const cookie = [...jar].map(([key, value]) => `${key}=${value}`).join('; ');
      const response: Response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie },
        ...(form === null ? {} : { method: 'POST', body: form }),
      });
      const page = await response.text();
      for (const line of response.headers.getSetCookie()) {
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(key, value);
      }
      const next = response.headers.get('location');
      form = null;
      if (next !== null) {
        const target = new URL(next, url);
        if (target.origin !== this.issuer) return target.search;
        url = target.href;
      } else {
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
        if (prompt === undefined) throw new Error(`oidc-provider shows ${response.status}: ${page.slice(0, 500)}`);
        if (name === null) url = `${url}/abort`;
        else form = new URLSearchParams({ prompt, login: name, password: 'x' });
      }
    }
    throw new Error('oidc-provider sends its users around');
  }
}
