/** @lane slow */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project-files';

jest.setTimeout(180_000);

const WITH_TYPES = `
import type { components, paths, webhooks } from './openapi-typescript';

type Schemas = components['schemas'];

export const website: Schemas['CreateWebsite'] = {
  name: 'Example shop',
  url: 'https://shop.example.com',
  endpoints: [{ name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS' }],
};
export const alert: Schemas['CreateAlert'] = {
  endpoint_id: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  type: 'slack',
  config: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
};
export const wrong: Schemas['CreateAlert'] = {
  endpoint_id: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  type: 'slack',
  // @ts-expect-error a config of another channel
  config: { routing_key: '0123456789abcdef0123456789abcdef' },
};

type Listed = paths['/api/v1/alerts']['get']['responses'][200]['content']['application/json'][number];
export const destinationOf = (alert: Listed): string | undefined =>
  alert.type === 'slack' ? alert.config.webhook_url : alert.type === 'webhook' ? alert.config.url : undefined;

type Triggered = webhooks['alert.triggered']['post']['requestBody']['content']['application/json'];
export const receive = ({ type, data }: Triggered): string =>
  type === 'alert.triggered' ? \`\${data.event.message} \${data.event.error?.code ?? ''}\` : type;

type Streamed = paths['/api/v1/stream']['get']['responses'][200]['content']['text/event-stream'];
export const told = (event: Streamed): string =>
  event.event === 'check' ? event.data.endpoint_name : event.event === 'alert' ? event.data.message : '';
`;

const WITH_CLIENT = `
import { createAlert, createWebsite, listAlerts, listWebsites } from './hey-api';
import { createClient } from './hey-api/client';

export async function main(baseUrl: string, auth: string): Promise<string[]> {
  const client = createClient({ baseUrl, auth });
  const { data: website } = await createWebsite({
    client,
    throwOnError: true,
    body: {
      name: 'Example shop',
      url: 'https://shop.example.com',
      endpoints: [{ name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS' }],
    },
  });
  const endpoint_id = website.endpoints?.[0]?.id ?? '';
  await createAlert({
    client,
    body: { endpoint_id, type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' } },
  });
  await createAlert({
    client,
    // @ts-expect-error a config of another channel
    body: { endpoint_id, type: 'slack', config: { routing_key: '0123456789abcdef0123456789abcdef' } },
  });
  const { data: websites } = await listWebsites({ client, throwOnError: true });
  const { data: alerts } = await listAlerts({ client, throwOnError: true });
  return [
    ...websites.map(({ name }) => name),
    ...alerts.map((alert) => (alert.type === 'slack' ? alert.config.webhook_url : alert.type)),
  ];
}
`;

const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    skipLibCheck: false,
    types: [],
  },
  include: ['*.ts'],
};

describe('clients generated from docs/openapi.json, with a strict compiler and no options', () => {
  let folder: string;

  beforeEach(() => {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.cache', 'clients-'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(script: string, ...args: string[]): void {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'node_modules', script), ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status === 0 ? '' : stdout + stderr, status]).toEqual(['', 0]);
  }
  const compile = () => run('typescript/bin/tsc', '-p', folder);

  it('openapi-typescript: bodies need no field with a default, and only the config of their channel fits', () => {
    run('openapi-typescript/bin/cli.js', 'docs/openapi.json', '-o', join(folder, 'openapi-typescript.d.ts'));
    writeFileSync(join(folder, 'program.ts'), WITH_TYPES);
    compile();
  });

  it('hey-api: a program creates a website with its endpoint and an alert, and reads the lists', () => {
    const output = join(folder, 'hey-api');
    run(
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      './docs/openapi.json',
      '-o',
      output,
      '-c',
      '@hey-api/client-fetch',
      '--no-log-file',
    );
    writeFileSync(join(folder, 'program.ts'), WITH_CLIENT);
    compile();
  });
});
