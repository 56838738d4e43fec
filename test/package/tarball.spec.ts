import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Ended, Reader } from './walk';

const ROOT = resolve(__dirname, '../..');
const LIMIT_MS = 600_000;
const MEGABYTE = 1_000_000;

/** The output of `npm pack` with `--json`: https://docs.npmjs.com/cli/v11/commands/npm-pack. */
interface Packed {
  readonly filename: string;
  /** In bytes. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Every path by which the package can be imported. */
const { exports: DOORS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, object>;
};
const IMPORTS = Object.keys(DOORS)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => path.replace('.', 'uptime-monitor'));

let home: string;
let packed: Packed;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'uptime-server-'));
  // `npm pack` runs no `prepack` here.
  execFileSync('node', ['scripts/build.mjs', '--if-needed'], { cwd: ROOT, stdio: 'inherit' });
  const words = ['pack', '--json', '--silent', '--pack-destination', home];
  [packed] = JSON.parse(execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8' })) as [Packed];
  const megabytes = (packed.size / MEGABYTE).toFixed(1);
  process.stdout.write(`${packed.filename}: ${megabytes} MB, ${packed.files.length} files\n`);
}, LIMIT_MS);
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the packed package', () => {
  const BESIDE = /^(LICENSE|README\.md|package\.json|\.env\.example|docs\/openapi\.json)$/;
  const BUILT =
    /^dist\/(?!.*\.spec\.)[\w./-]+\.(js|cjs|mjs|d\.ts|d\.cts|d\.mts|br|html|css|svg|webmanifest|md|png|txt|json|woff2)$/;

  it('contains what the build produces, and neither sources nor specs nor maps', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !BESIDE.test(path) && !BUILT.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'dist/cli/uptime.js', 'dist/exports/index.d.ts']));
  });

  // Unpacked, 5 MB are the help with its pictures and its search, and 3 MB the API document.
  it('is small: 7 MB to load at most, 22 MB unpacked', () => {
    expect(packed.size).toBeLessThan(7 * MEGABYTE);
    expect(packed.unpackedSize).toBeLessThan(22 * MEGABYTE);
  });

  it('has no private key in it, no local setting and nothing of the machine that built it', () => {
    execFileSync('tar', ['xzf', join(home, packed.filename), '-C', home]);
    const folder = join(home, 'package');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    );
    const secret = (text: string): boolean =>
      /-----BEGIN [A-Z ]*PRIVATE KEY-----\n|_authToken/.test(text) ||
      [ROOT, homedir()].some((path) => text.includes(`${path}/`));
    expect(files.length).toBe(packed.files.length);
    expect(files.filter((name) => secret(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
  });
});

describe('the package, installed for a server without development and optional dependencies', () => {
  let reader: Reader;
  let started: Ended;
  beforeAll(async () => {
    const folder = mkdtempSync(join(home, 'installed-'));
    reader = await Reader.in(folder, ROOT);
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    writeFileSync(join(folder, 'loaded.cjs'), WRITES_WHAT_IS_LOADED);
    const installed = await reader.run(`npm install --silent --omit=dev --omit=optional ../${packed.filename}`);
    if (installed.code !== 0) throw new Error(installed.output);
    started = await reader.serve('DATABASE_URL=embedded:memory NODE_OPTIONS="-r ./loaded.cjs" npx uptime-monitor');
    await reader.stop();
  }, LIMIT_MS);

  const WRITES_WHAT_IS_LOADED = `
    const { isMainThread } = require('node:worker_threads');
    const files = () => JSON.stringify(Object.keys(require.cache));
    if (isMainThread && /uptime-monitor$/.test(process.argv[1]))
      process.on('exit', () => require('node:fs').writeFileSync('loaded.json', files()));`;

  it('is installed without jest, TypeScript, and MCP', () => {
    const there = readdirSync(join(reader.folder, 'node_modules'));
    expect(there).toContain('uptime-monitor');
    for (const name of ['jest', 'typescript', 'ajv-formats', 'smtp-server', '@modelcontextprotocol', 'zod', 'koffi'])
      expect(there).not.toContain(name);
  });

  it('starts with its command', () => {
    expect(started).toEqual({ code: 0, output: expect.stringContaining('Uptime monitor is running at') });
  });

  it('loads no part of the kit, the client, or the commands into the process of the server', () => {
    const files = JSON.parse(readFileSync(join(reader.folder, 'loaded.json'), 'utf8')) as string[];
    const own = files.flatMap((file) => /uptime-monitor\/dist\/(.+)$/.exec(file)?.slice(1) ?? []);
    expect(own).toContain('app.js');
    expect(own.filter((file) => /^(testing|client|exports|cli)\//.test(file))).toEqual([]);
    expect(files.filter((file) => /node_modules\/(commander|ajv|jest|@modelcontextprotocol)\//.test(file))).toEqual([]);
  });

  it.each(IMPORTS)('offers %s to require and to import, with the same names', async (path) => {
    const names = `(it) => console.log(Object.keys(it).filter((name) => !/^(default|__esModule|module.exports)$/.test(name)).sort().join())`;
    const required = await reader.run(`node -e "(${names})(require('${path}'))"`);
    const imported = await reader.run(`node -e "import('${path}').then(${names})"`);
    expect(required).toEqual({ code: 0, output: expect.stringMatching(/^\w+(,\w+)+\n$/) });
    expect(imported).toEqual(required);
  });

  it('explains how to replace a lost key in an installation of the package', async () => {
    const given =
      "{ url: 'here', publicUrl: null, auth: true, isTerminal: false, key: { from: 'before' }, link: null }";
    const banner = "require('./node_modules/uptime-monitor/dist/start/banner.js').banner";
    const { output } = await reader.run(`node -e "console.log(${banner}(${given}))"`);
    expect(output).toContain('if you have lost it: npx uptime-monitor-keys create');
  });

  it('also has the other commands', async () => {
    const { code, output } = await reader.run('npx uptime --help && npx uptime-monitor-keys --help');
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/Usage: uptime[^]*usage: npm run keys/),
    });
  });
});
