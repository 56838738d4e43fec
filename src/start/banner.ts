import type { NestExpressApplication } from '@nestjs/platform-express';
import { type BootstrapKey, Bootstrap } from '../identity/organization/bootstrap';
import type { Config } from '../platform/config/config';
import { SignInLinks } from '../identity/session/sign-in-links';

/** What a person sees when the service has started: where it is, how to get in, and one command to try. */
export async function banner(app: NestExpressApplication, config: Config, first: BootstrapKey): Promise<string> {
  const url = addressOf(app, config);
  const key = await keyPlace(app, config, first);
  const lines = [
    `Uptime monitor is running at ${url}`,
    ...(config.auth ? [] : ['AUTH=off: everyone who reaches this address is an administrator.']),
    '',
    `Dashboard      ${await dashboardLink(app, config, first, url)}`,
    `API reference  ${url}/docs`,
    ...key.lines,
    '',
    'Try it:',
    `  curl -s ${url}/api/v1/websites${key.header}`,
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const framed = lines.map((line) => `│ ${line.padEnd(width)} │`);
  return `┌${'─'.repeat(width + 2)}┐\n${framed.join('\n')}\n└${'─'.repeat(width + 2)}┘\n`;
}

function addressOf(app: NestExpressApplication, config: Config): string {
  const address: unknown = app.getHttpServer().address();
  const isBound = typeof address === 'object' && address !== null && 'port' in address;
  const port = isBound ? String(address.port) : String(config.port);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${port}`;
}

/** On the first start somebody at the terminal gets a link that signs in once; it never goes into a log file. */
async function dashboardLink(
  app: NestExpressApplication,
  config: Config,
  first: BootstrapKey,
  url: string,
): Promise<string> {
  if (first === null || !config.auth || !process.stdout.isTTY) return `${url}/`;
  return `${url}/#/sign-in/${await app.get(SignInLinks).create()}  (signs in once, within 15 minutes)`;
}

/** A generated key goes to the terminal, or, when nobody watches, to a file that only the service's user can read. */
async function keyPlace(
  app: NestExpressApplication,
  config: Config,
  first: BootstrapKey,
): Promise<{ lines: string[]; header: string }> {
  const header = (key: string) => ` -H "Authorization: Bearer ${key}"`;
  if (!config.auth) return { lines: [], header: '' };
  if (first === null) return { lines: ['API key        as before'], header: header('$KEY') };
  if (first.from === 'environment') {
    return { lines: ['API key        the value of BOOTSTRAP_API_KEY'], header: header('$BOOTSTRAP_API_KEY') };
  }
  if (process.stdout.isTTY) {
    return {
      lines: [`API key        ${first.key}`, '               (admin; shown this one time)'],
      header: header(first.key),
    };
  }
  const path = await app.get(Bootstrap).writeKeyFile(first.key);
  return { lines: [`API key        in the file ${path}`], header: header(`$(cat ${path})`) };
}
