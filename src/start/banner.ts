import type { Server } from 'node:http';
import type { BootstrapKey } from '../identity/organization/bootstrap';
import type { Config } from '../platform/config/config';

export interface Welcome {
  /** The local URL. */
  readonly url: string;
  /** The public URL, if it is configured. */
  readonly publicUrl: string | null;
  readonly auth: boolean;
  readonly key: BootstrapKey;
  /** The token of a one-time sign-in link. `null` if there is none. */
  readonly link: string | null;
}

/** The command that works in an installed package, or the one for a checkout. */
const KEYS_COMMAND = /[\\/]node_modules[\\/]/.test(__dirname) ? 'npx uptime-monitor-keys' : 'npm run keys --';

/** Returns the text that a person at a terminal sees after startup: the URL, how to sign in, and one command to try. */
export function banner({ url, publicUrl, auth, key, link }: Welcome): string {
  const shown = publicUrl ?? url;
  const place = auth ? keyPlace(key) : { lines: [], value: null };
  const request = `  curl -s ${url}/api/v1/websites`;
  const lines = [
    `Uptime monitor is running at ${url}  (Ctrl-C stops it)`,
    ...(auth ? [] : [OPEN]),
    '',
    ...(link === null
      ? [`Dashboard      ${shown}/`]
      : [`Dashboard      ${shown}/#/sign-in/${link}`, '               (this link works once, within 15 minutes)']),
    `API reference  ${shown}/docs`,
    ...place.lines,
    '',
    'Try it:',
    ...(place.value === null ? [] : [`  export UPTIME_API_KEY=${place.value}`]),
    auth ? `${request} -H "Authorization: Bearer $UPTIME_API_KEY"` : request,
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const framed = lines.map((line) => `│ ${line.padEnd(width)} │`);
  return `┌${'─'.repeat(width + 2)}┐\n${framed.join('\n')}\n└${'─'.repeat(width + 2)}┘\n`;
}

const OPEN = 'AUTH=off: everyone who can reach this URL is an administrator.';

/** Returns the same information for a log, without a key or link. */
export function startLines({ url, publicUrl, auth, key }: Welcome): string[] {
  return [
    ...(auth ? [] : [OPEN]),
    ...(auth && key.from === 'file' ? [`The first API key is in the file ${key.path}`] : []),
    `Uptime monitor is running at ${url} (API reference: ${publicUrl ?? url}/docs)`,
  ];
}

/** Returns the lines that say where the key is, and the shell expression for it. */
function keyPlace(key: BootstrapKey): { lines: string[]; value: string | null } {
  switch (key.from) {
    case 'environment':
      return { lines: ['API key        the value of BOOTSTRAP_API_KEY'], value: '"$BOOTSTRAP_API_KEY"' };
    case 'file':
      return { lines: [`API key        in the file ${key.path}`], value: `$(cat ${quoted(key.path)})` };
    case 'generated':
      return { lines: [`API key        ${key.key}`, '               (admin; shown only this once)'], value: key.key };
    case 'before':
      return { lines: [`API key        not shown again; if you have lost it: ${KEYS_COMMAND} create`], value: null };
    default:
      return key satisfies never;
  }
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Returns the URL for a browser on the same machine. */
export function addressOf(app: { getHttpServer(): Server }, config: Pick<Config, 'host' | 'port'>): string {
  const address = app.getHttpServer().address();
  const isBound = typeof address === 'object' && address !== null;
  const port = isBound ? String(address.port) : String(config.port);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${port}`;
}
