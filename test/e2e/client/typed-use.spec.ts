/** @lane slow */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtClient, CLIENT_FOLDER, ROOT } from './built-client';

jest.setTimeout(180_000);

const EXPORTS = {
  './client': {
    import: { types: './client/index.d.mts', default: './client/index.mjs' },
    require: { types: './client/index.d.cts', default: './client/index.cjs' },
  },
};

const RIGHT_AND_WRONG = `
import { type StreamEvent, UptimeClient, UptimeProblem, type Website } from 'uptime-monitor/client';

export async function main(): Promise<void> {
  const uptime = new UptimeClient({ baseUrl: 'http://127.0.0.1', apiKey: 'key', timeoutMs: 1000, retries: 1 });

  const page: Website[] = await uptime.listWebsites();
  for await (const website of uptime.listWebsites.all({ query: { tag: 'production' } })) page.push(website);
  for await (const websites of uptime.listWebsites.pages()) page.push(...websites);

  const { data, headers, response } = await uptime.getWebsite.withResponse({ path: { id: 'ws_1' } });
  const name: string = data.name;
  const etag: string | undefined = headers.etag;
  const total: number | undefined = (await uptime.listWebsites.withResponse()).headers.xTotalCount;
  const type: string | null = response.headers.get('content-type');

  const nothing: void = await uptime.deleteWebsite({ path: { id: 'ws_1' }, headers: { 'If-Match': etag ?? '*' } });
  await uptime.createAlert({
    body: { endpoint_id: 'ep_1', type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T/B/X' } },
    headers: { 'Idempotency-Key': 'mine' },
  });
  await uptime.planConfiguration({ body: 'version: 1' });
  await uptime.planConfiguration({ body: { version: 1 }, query: { prune: true } }, { timeoutMs: 5000 });
  const yaml: string = await uptime.exportConfiguration.as('application/yaml');

  for await (const event of uptime.stream({}, { signal: AbortSignal.timeout(1) })) told(event);

  try {
    await uptime.getMetrics();
  } catch (error) {
    if (error instanceof UptimeProblem && error.code === 'rate_limited') console.log(error.retryAfter ?? 1);
  }
  console.log(name, total, type, nothing, yaml);
}

function told(event: StreamEvent): string {
  switch (event.event) {
    case 'check':
      return event.data.endpoint_name;
    case 'alert':
      return event.data.message;
    case 'maintenance':
      return event.data.window_id;
    case 'acknowledgement':
      return event.data.endpoint_id;
    case 'heartbeat':
      return event.data.kind;
    case 'incident':
      return event.data.change;
    case 'location':
      return event.data.location;
    case 'probe':
      return event.data.key;
    case 'reset':
      return 'read the lists again';
  }
}

export function wrong(uptime: UptimeClient, problem: UptimeProblem): void {
  // @ts-expect-error no address
  void new UptimeClient({ apiKey: 'key' });
  // @ts-expect-error no such operation
  void uptime.listSites();
  // @ts-expect-error the path is missing
  void uptime.getWebsite();
  // @ts-expect-error the id is missing
  void uptime.getWebsite({ path: {} });
  // @ts-expect-error a field of the wrong type
  void uptime.createWebsite({ body: { name: 7, url: 'https://shop.example.com' } });
  // @ts-expect-error a filter of another list
  void uptime.listWebsites({ query: { outcome: 'up' } });
  // @ts-expect-error one thing is not a list
  void uptime.getWebsite.all({ path: { id: 'ws_1' } });
  // @ts-expect-error an operation that refuses the key
  void uptime.createApiKey({ body: { name: 'a', role: 'read' }, headers: { 'Idempotency-Key': 'mine' } });
  // @ts-expect-error a type in which it does not respond
  void uptime.exportConfiguration.as('text/html');
  // @ts-expect-error no such problem
  void (problem.code === 'no_such_code');
  // @ts-expect-error the header is never a number
  void uptime.updateWebsite({ path: { id: 'ws_1' }, headers: { 'If-Match': 1 }, body: {} });
  // @ts-expect-error pings do not come out of the client
  void ((event: StreamEvent) => event.event === 'ping');
}
`;

const COMMONJS = `
import client = require('uptime-monitor/client');
export const uptime: client.UptimeClient = new client.UptimeClient({ baseUrl: 'http://127.0.0.1' });
`;

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2022',
  module: 'nodenext',
  skipLibCheck: false,
};
const IN_BROWSERS = { ...STRICT, lib: ['es2023', 'dom', 'dom.iterable'], types: [] };
const IN_NODE = { ...STRICT, lib: ['es2023'], types: ['node'] };

/** Returns every program in the documents that imports the client, in the order in which a reader meets them. */
const documented = (): string[] =>
  readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'))
    .filter((text) => text.includes("from 'uptime-monitor/client'"))
    .map((text) => [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code).join('\n'));

describe('the typed client in the project of a user', () => {
  let folder: string;

  beforeAll(() => {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.cache', 'client-programs-'));
    // A separate package, because below a package with that name, the import would mean that package.
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true }));
    const installed = join(folder, 'node_modules/uptime-monitor');
    for (const name of readdirSync(CLIENT_FOLDER).filter((name) => name.startsWith('index.')))
      cpSync(join(CLIENT_FOLDER, name), join(installed, 'client', name));
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'uptime-monitor', exports: EXPORTS }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect([status === 0 ? '' : stdout + stderr, status]).toEqual(['', 0]);
    return stdout;
  }

  function compile(compilerOptions: object, programs: Record<string, string>): void {
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
    const files = Object.keys(programs);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    run(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder);
  }

  it('compiles strictly in both module forms, rejects wrong use, and accepts the examples of the docs', () => {
    const examples = documented().map((text, index) => [`example-${index}.mts`, text] as const);
    compile(IN_BROWSERS, {
      'program.mts': RIGHT_AND_WRONG,
      'program.cts': COMMONJS,
      ...Object.fromEntries(examples),
    });
  });

  it("compiles with the types of Node alone, without a browser's", () => {
    compile(IN_NODE, { 'program.mts': RIGHT_AND_WRONG });
  });

  it('runs in both module forms', () => {
    const say = "console.log(typeof new UptimeClient({ baseUrl: 'http://127.0.0.1' }).listWebsites.all)";
    expect(run('--input-type=module', '-e', `import { UptimeClient } from 'uptime-monitor/client'; ${say}`)).toBe(
      'function\n',
    );
    expect(run('-e', `const { UptimeClient } = require('uptime-monitor/client'); ${say}`)).toBe('function\n');
  });
});

describe('the typed client', () => {
  const read = (name: string): string => readFileSync(join(CLIENT_FOLDER, name), 'utf8');
  const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; summary: string; 'x-plain'?: boolean }>>;
  };
  // Ping URLs are for programs that do not use this API.
  const operations = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .filter((operation) => operation['x-plain'] !== true);

  it('has a method for each operation of the document, and no other', () => {
    const client = new (builtClient().UptimeClient)({ baseUrl: 'http://127.0.0.1' });
    expect(Object.keys(client).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
    expect(Object.values(client).every((method) => typeof method === 'function')).toBe(true);
  });

  it("has the document's description of each operation in its declarations", () => {
    const declarations = read('index.d.mts');
    const told = operations.filter(({ operationId, summary }) => {
      const comment = declarations
        .slice(0, declarations.indexOf(`readonly ${operationId}: `))
        .split('/**')
        .at(-1);
      return comment?.includes(summary);
    });
    expect(told).toEqual(operations);
  });

  it.each(['index.mjs', 'index.cjs'])('is one file without imports: %s', (name) => {
    expect(read(name).match(/^import\b|\bimport\(|\brequire\(|\bfrom ['"]/gm)).toBeNull();
  });

  it('exports nothing of the runtime beneath it', async () => {
    const url = pathToFileURL(join(CLIENT_FOLDER, 'index.cjs')).href;
    const script = `import(${JSON.stringify(url)}).then((it) => console.log(Object.keys(it.default).join()))`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    const others = stdout
      .trim()
      .split(',')
      .filter((name) => !/^is[A-Z]/.test(name));
    expect(others.toSorted()).toEqual([
      'CheckErrorCode',
      'UptimeClient',
      'UptimeError',
      'UptimeNoResponse',
      'UptimeProblem',
      'UptimeUnexpectedResponse',
    ]);
  });

  it("refuses a URL that is not a web server's", () => {
    const { UptimeClient } = builtClient();
    expect(() => new UptimeClient({ baseUrl: 'ftp://uptime.example.com' })).toThrow(/must start with http/);
    expect(() => new UptimeClient({ baseUrl: 'uptime.example.com' })).toThrow(/URL/);
  });
});
