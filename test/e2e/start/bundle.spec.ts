/** @lane slow */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildService, ServiceProcess } from '../../harness/processes/service-process';
import { ROOT } from '../../repository/project-files';

jest.setTimeout(180_000);

beforeAll(() => buildService());

/** Returns the JSON output of a program that runs as a separate process. */
const printed = (program: string, args: readonly string[] = [], folder = ROOT): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [...args, '--input-type=module', '-e', program], { cwd: folder, encoding: 'utf8' }),
  );

describe('a bundle', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'uptime-bundle-')));
    write('node_modules/team/package.json', '{"version": "1.0.0", "main": "main.cjs"}');
    write('node_modules/team/main.cjs', `exports.name = 'team 1';`);
    write('dist/data.json', '{"text": "“data”"}');
    write(
      'dist/other.js',
      `exports.early = require('./main.js').early; exports.fail = function failing() {\n  throw new Error('no');\n};`,
    );
    write('dist/importing.js', `module.exports = import('team').then((it) => it.default === require('team'));`);
    write('dist/main.js', MAIN);
    record();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const MAIN = `exports.early = 1;
    const other = require('./other.js');
    const path = require('node:path');
    let missing;
    try { require('not-there'); } catch ({ code }) { missing = code; }
    const stack = () => { try { other.fail(); } catch (error) { return error.stack; } };
    exports.seen = {
      team: require('team').name, data: require('./data.json').text, missing, early: other.early, stack: stack(),
      place: path.relative(__dirname, __filename), resolved: require.resolve('./other.js') === path.join(__dirname, 'other.js'),
      cached: require.cache[__filename] === module, 
    };
    exports.imported = require('./importing.js');`;

  const write = (path: string, text: string, age = 3600): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const at = Date.now() / 1000 - age;
    utimesSync(file, at, at);
  };
  const reading = `
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(join(ROOT, 'scripts/x'))});
    const reader = require('../dist/start/module-bundle.js');
    const file = process.cwd() + '/dist/main.js';`;
  const record = (): unknown =>
    printed(
      `${reading}
      const { ModuleRecorder } = await import(${JSON.stringify(join(ROOT, 'scripts/module-recorder.mjs'))});
      const recorder = new ModuleRecorder(process.cwd(), reader);
      await new reader.ModuleLoader(recorder).load(file).exports.imported;
      recorder.write(process.cwd() + '/dist/bundle');
      console.log(recorder.modules.size);`,
      [],
      root,
    );
  /** Returns the modules that the program loaded, and which of them V8 compiled again. */
  const run = (args: readonly string[] = []) =>
    printed(
      `${reading}
      const vm = require('node:vm');
      const rejected = [];
      vm.Script = class extends vm.Script {
        constructor(text, options) { super(text, options); if (this.cachedDataRejected !== false) rejected.push(options.filename.split('/').at(-1)); }
      };
      const bundle = reader.ModuleBundle.open(process.cwd() + '/dist/bundle', process.cwd());
      const { seen, imported } = new reader.ModuleLoader(bundle).load(file)?.exports ?? {};
      console.log(JSON.stringify({ ...seen, same: await imported, rejected }));`,
      args,
      root,
    ) as Record<string, unknown>;
  const asRecorded = {
    team: 'team 1',
    data: '“data”',
    missing: 'MODULE_NOT_FOUND',
    early: 1,
    place: 'main.js',
    resolved: true,
    cached: true,
    same: true,
    rejected: [],
  };

  it('runs modules as Node does, without their files being read or compiled', () => {
    write('dist/other.js', 'this is not read');
    expect(run()).toMatchObject(asRecorded);
  });

  it('leaves file, line, column and function in a stack trace', () => {
    expect(run()['stack']).toContain(
      `Error: no\n    at Object.failing [as fail] (${join(root, 'dist/other.js')}:2:9)\n`,
    );
  });

  it('is compiled again if V8 refuses the compiled code', () => {
    expect(run(['--stack-trace-limit=20'])).toMatchObject({
      ...asRecorded,
      rejected: ['main.js', 'other.js', 'main.cjs', 'data.json'],
    });
  });

  it('is ignored if a file is newer, or a package has another version', () => {
    write('dist/data.json', '{"text": "newer"}', -60);
    expect(run()).toMatchObject({ ...asRecorded, data: 'newer' });
    write('node_modules/team/package.json', '{"version": "2.0.0", "main": "main.cjs"}');
    write('node_modules/team/main.cjs', `exports.name = 'team 2';`);
    expect(run()).toMatchObject({ ...asRecorded, data: 'newer', team: 'team 2' });
  });

  it('is not used if it is cut off or was never built', () => {
    const opened = `${reading} console.log(reader.ModuleBundle.open(process.cwd() + '/dist/bundle', process.cwd()));`;
    write('dist/bundle/index.json', '{"modules": [');
    expect(printed(opened, [], root)).toBeNull();
    rmSync(join(root, 'dist/bundle'), { recursive: true });
    expect(printed(opened, [], root)).toBeNull();
  });
});

describe('the service', () => {
  /** Returns how the modules of `dist/app.js` are loaded: scripts with accepted or refused code, and separate files. */
  const loaded = (args: readonly string[] = []) =>
    printed(
      `import { createRequire } from 'node:module';
      const require = createRequire(process.cwd() + '/dist/main.js');
      const vm = require('node:vm');
      const count = { accepted: 0, refused: 0 };
      vm.Script = class extends vm.Script {
        constructor(text, options) { super(text, options); count[this.cachedDataRejected === false ? 'accepted' : 'refused'] += 1; }
      };
      require('./start/runtime-flags');
      require('./start/load-application').loadFromBundle('app');
      const before = Object.keys(require.cache).length;
      require('./app');
      console.log(JSON.stringify({ ...count, after: Object.keys(require.cache).length - before, loaded: before > 2000 }));
      process.exit();`,
      args,
    ) as Record<string, unknown>;

  it('has nearly all of its modules from the bundle, compiled', () => {
    const { accepted, refused, after } = loaded();
    expect(accepted).toBeGreaterThan(2000);
    expect([refused, after]).toEqual([0, 0]);
  });

  it('loads the same modules when V8 runs with other flags', () => {
    expect(loaded(['--stack-trace-limit=20'])).toMatchObject({ accepted: 0, after: 0, loaded: true });
  });

  it('loads its modules one by one for a tool that observes that', () => {
    expect(loaded(['--enable-source-maps'])).toMatchObject({ accepted: 0, refused: 0, loaded: false });
  });

  const filesOf = (pid: number | null): string[] =>
    readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const link = join(`/proc/${pid}/fd`, name);
      return existsSync(link) ? [readlinkSync(link)] : [];
    });

  it.each([
    ['as it is built', {}],
    ['under other flags of V8', { NODE_OPTIONS: '--stack-trace-limit=20' }],
  ])('serves, checks, and shows its pages from the bundle %s', async (_, env) => {
    const service = await ServiceProcess.start('embedded:memory', env);
    try {
      expect(filesOf(service.pid).some((file) => file.endsWith('dist/bundle/modules.bin'))).toBe(true);
      expect(await service.readiness()).toBe(200);
      for (const [path, text] of [
        ['/', '<!doctype html>'],
        ['/docs', '<!doctype html>'],
        ['/api/v1/openapi.json', '"openapi"'],
      ] as const)
        expect((await (await fetch(`${service.url}${path}`)).text()).toLowerCase()).toContain(text);
      const check = { name: 'self', url: `${service.url}/health/live`, type: 'HTTP' };
      expect(await service.api.post('/endpoints/test', check)).toMatchObject({ status: 200, body: { outcome: 'up' } });
    } finally {
      await service.kill();
    }
  });
});
