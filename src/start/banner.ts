import type { Server } from 'node:http';
import type { BootstrapKey } from '../identity/organization/bootstrap';
import type { Config } from '../platform/config/config';

/** What the banner tells. */
export interface Welcome {
  /** Where it is for this machine. */
  readonly url: string;
  /** Where people reach it, if the settings say so. */
  readonly publicUrl: string | null;
  readonly auth: boolean;
  readonly key: BootstrapKey;
  /** The token of a link that signs in once; `null` without one. */
  readonly link: string | null;
}

/** As it is called in a checkout, and where the package is installed. */
const KEYS_COMMAND = /[\\/]node_modules[\\/]/.test(__dirname) ? 'npx uptime-monitor-keys' : 'npm run keys --';

/** What a person at a terminal sees when the service has started: where it is, how to get in, and one command to try. */
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

/** The same for a log: neither a key nor a link is in it. */
export function startLines({ url, publicUrl, auth, key }: Welcome): string[] {
  return [
    ...(auth ? [] : [OPEN]),
    ...(auth && key.from === 'file' ? [`The first API key is in the file ${key.path}`] : []),
    `Uptime monitor is running at ${url} (API reference: ${publicUrl ?? url}/docs)`,
  ];
}

/** Where the key is, and what a shell makes of it. */
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

/** The address as a browser of this machine takes it. */
export function addressOf(app: { getHttpServer(): Server }, config: Pick<Config, 'host' | 'port'>): string {
  const address = app.getHttpServer().address();
  const isBound = typeof address === 'object' && address !== null;
  const port = isBound ? String(address.port) : String(config.port);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${port}`;
}
