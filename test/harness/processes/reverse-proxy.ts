import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';
import { freePort } from '../machine/free-port';

const DOCUMENT = join(__dirname, '../../../docs/guides/operate/reverse-proxies.md');

/** How to start a proxy with a configuration from the documentation. */
interface Proxy {
  program: string;
  arguments: (file: string) => string[];
  /** Combines the documented blocks into one file for this machine: without TLS, on this port, in this folder. */
  file: (place: Place) => string;
}

interface Place {
  /** The documented code blocks for this proxy, in order. */
  blocks: readonly string[];
  /** The block for several services, on ports 3000 and 3001. */
  several: string;
  isBelow: boolean;
  port: number;
  /** Each service's address in the block, such as `127.0.0.1:3000`. */
  services: readonly string[];
  folder: string;
}

const PROXIES = {
  nginx: {
    program: 'nginx',
    arguments: (file) => ['-c', file],
    file: ({ blocks: [whole = '', below = ''], several, isBelow, port, services, folder }) => {
      const server = isBelow ? replaced(whole, / {2}location [^]*(?=\}\s*$)/, `${below}\n`) : whole;
      const listening = replaced(server, 'listen 443 ssl http2;', `listen 127.0.0.1:${port};`);
      const upstream = services.length > 1 ? replaced(listening, /^upstream [^}]*\}/, several) : listening;
      return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log warn;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${at(services, replaced(upstream, /^ +ssl_certificate.*\n/gm, ''))}
}
`;
    },
  },
  haproxy: {
    program: 'haproxy',
    arguments: (file) => ['-db', '-f', file],
    file: ({ blocks: [whole = '', frontend = '', backend = ''], several, isBelow, port, services }) => {
      const config = isBelow
        ? `${replaced(whole, / {2}http-request deny .*\n {2}default_backend .*/, frontend)}\n${backend}`
        : whole;
      const listening = replaced(config, /bind :443 .*/, `bind 127.0.0.1:${port}`);
      const servers = services.length > 1 ? replaced(listening, /^ +server .*$/m, several) : listening;
      return `global\n  maxconn 1000\n${at(services, servers)}\n`;
    },
  },
  apache: {
    program: 'apache2',
    arguments: (file) => ['-D', 'FOREGROUND', '-f', file],
    file: ({ blocks: [whole = '', below = ''], isBelow, port, services, folder }) => {
      const host = isBelow ? replaced(whole, /( {2}ProxyPass .*\n)+/, `${below}\n`) : whole;
      const listening = replaced(host, '*:443', `127.0.0.1:${port}`);
      const modules = ['mpm_event', 'authz_core', 'alias', 'proxy', 'proxy_http', 'headers'].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      );
      return `ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Mutex file:${folder} default
${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
${modules.join('\n')}
Listen 127.0.0.1:${port}
${at(services, replaced(listening, /^ +SSL.*\n/gm, ''))}
`;
    },
  },
  caddy: {
    program: 'caddy',
    arguments: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    file: ({ blocks: [whole = '', below = ''], several, isBelow, port, services }) => {
      const site = replaced(
        isBelow ? below : whole,
        /^\S+ \{$/m,
        `http://127.0.0.1:${port}, http://localhost:${port} {\n  bind 127.0.0.1`,
      );
      return `{\n  admin off\n  auto_https off\n  log {\n    level ERROR\n  }\n}\n${at(services, services.length > 1 ? replaced(site, /^ +reverse_proxy .*$/m, several) : site)}\n`;
    },
  },
} satisfies Record<string, Proxy>;

export type ProxyName = keyof typeof PROXIES;
export const PROXY_NAMES = Object.keys(PROXIES) as ProxyName[];

export const hasProxy = (name: ProxyName): boolean => programOf(name) !== null;

function programOf(name: ProxyName): string | null {
  const { program } = PROXIES[name];
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

/** Returns a suffix for a test title: empty, or the reason why the test is skipped. */
export const skippedWithout = (name: ProxyName): string =>
  hasProxy(name) ? '' : ` (skipped: ${name} is not installed)`;

/** A real reverse proxy with the configuration from docs/guides/operate/reverse-proxies.md, on plain HTTP and a loopback port. */
export class ReverseProxy {
  private said = '';

  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.said = `${this.said}${chunk.toString()}`.slice(-5000)));
  }

  /** `services` are URLs. `change` edits the configuration, for example to shorten a timeout. */
  static async start(
    name: ProxyName,
    services: readonly string[],
    { isBelow = false, port, change = (text) => text }: ProxyOptions = {},
  ): Promise<ReverseProxy> {
    const folder = mkdtempSync(join(tmpdir(), `uptime-${name}-`));
    const chosen = port ?? (await freePort());
    const blocks = blocksOf(name);
    const place = { blocks, several: blocks.at(-1) ?? '', isBelow, port: chosen, folder };
    const hosts = services.map((url) => new URL(url).host);
    const file = join(folder, 'config');
    writeFileSync(file, change(PROXIES[name].file({ ...place, services: hosts })));
    const child = spawn(programOf(name) ?? name, PROXIES[name].arguments(file), {
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const proxy = new ReverseProxy(chosen, child, folder);
    try {
      await eventually(`${name} listens`, () => proxy.hasEnded || listens(chosen));
      if (proxy.hasEnded) throw new Error(`${name} ended at once:\n${proxy.said}\n${readFileSync(file, 'utf8')}`);
    } catch (error) {
      await proxy.stop();
      throw error;
    }
    return proxy;
  }

  /** The proxy's URL, without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    if (!this.hasEnded) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

interface ProxyOptions {
  /** Whether it is served under `/monitor`, as documented. */
  isBelow?: boolean;
  port?: number;
  change?: (text: string) => string;
}

/** Returns the documented code blocks in this proxy's language. */
const blocksOf = (name: ProxyName): string[] =>
  [...readFileSync(DOCUMENT, 'utf8').matchAll(new RegExp(`^\`\`\`${name}\\n([^]*?)\\n\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );

/** Returns a configuration with these services instead of the documented ones. */
const at = (services: readonly string[], text: string): string =>
  services.reduce((changed, host, n) => replaced(changed, new RegExp(`127\\.0\\.0\\.1:300${n}`, 'g'), host), text);

/**
 * Replaces part of the text. Throws if that part is missing, because then the tested configuration would differ from
 * the documented one.
 */
function replaced(text: string, what: string | RegExp, by: string | ((found: string) => string)): string {
  const after = text.replace(what, typeof by === 'string' ? () => by : by);
  if (after === text) throw new Error(`there is no ${String(what)} in the configuration of the manual:\n${text}`);
  return after;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isOpen;
}
