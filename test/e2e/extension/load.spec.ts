/** @lane slow */
import { Controller, Get, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Access } from '../../../src/exports/module';
import { eventually } from '../../../packages/testing/eventually';
import { startOwnApp } from '../../harness/app/app';
import { buildService } from '../../harness/processes/service-process';
import { StartFolder } from '../../harness/processes/start-process';
import { readJson, ROOT } from '../../repository/project-files';

jest.setTimeout(180_000);

/** In memory, because these starts do not test the database. */
const IN_MEMORY = { DATABASE_URL: 'embedded:memory' };
/** The packages in a team's folder. Their dependencies are found through the links. */
const INSTALLED = ['@nestjs', 'class-validator', 'iterare', 'load-esm', 'reflect-metadata', 'rxjs', 'tslib', 'uid'];

/** A compiled controller with a setting. The file contains no decorators. */
const GREETER = `
console.log('loading greeter');
const { Controller, Get, Inject, Module } = require('@nestjs/common');
const { IsString } = require('class-validator');
const { defineExtension, Env } = require('uptime-monitor');
const { Access } = require('uptime-monitor/module');
class Settings { greeting = 'Hello'; mark = '.'; }
for (const field of ['greeting', 'mark']) {
  Env('GREETER_' + field.toUpperCase())(Settings.prototype, field);
  IsString()(Settings.prototype, field);
}
class Greeter {
  constructor(settings) { this.settings = settings; }
  say() { return { text: this.settings.greeting + this.settings.mark }; }
}
Inject(Settings)(Greeter, undefined, 0);
for (const decorate of [Get(), Access('public')])
  decorate(Greeter.prototype, 'say', Object.getOwnPropertyDescriptor(Greeter.prototype, 'say'));
Controller('api/v1/greeting')(Greeter);
class GreeterModule {}
Module({ controllers: [Greeter] })(GreeterModule);
exports.default = defineExtension({ name: 'greeter', modules: [GreeterModule], settings: Settings });
`;
const NOTE = `
import { defineExtension } from 'uptime-monitor';
console.log('loading notes');
export default defineExtension({ name: 'notes' });
`;

/** Leaves an unhandled rejection after its start. */
const FORGETFUL = `
import { Module } from '@nestjs/common';
import { defineExtension } from 'uptime-monitor';
class ForgetfulModule {
  onApplicationBootstrap() { setTimeout(() => void this.forgotten(), 1); }
  async forgotten() { await null; throw new Error('nobody waits for this'); }
}
Module({})(ForgetfulModule);
export default defineExtension({ name: 'forgetful', modules: [ForgetfulModule] });
`;

describe('EXTENSIONS', () => {
  let folder: StartFolder;
  beforeAll(() => buildService());
  beforeEach(() => {
    folder = new StartFolder();
    for (const name of INSTALLED) link(join(ROOT, 'node_modules', name), `node_modules/${name}`);
    link(ROOT, 'node_modules/uptime-monitor');
  });
  afterEach(() => folder.remove());

  const place = (path: string): string => {
    const whole = join(folder.path, path);
    mkdirSync(dirname(whole), { recursive: true });
    return whole;
  };
  const link = (from: string, path: string): void => symlinkSync(from, place(path));
  const write = (path: string, text: string): void => writeFileSync(place(path), text);
  const launch = (extensions: string, env: Readonly<Record<string, string>> = {}) =>
    folder.launch({ env: { ...IN_MEMORY, EXTENSIONS: extensions, ...env } });
  /** Returns the output of a start that exits with code 1. */
  const refusalOf = async (extensions: string): Promise<string> => {
    const started = launch(extensions);
    expect(await started.ended()).toBe(1);
    return started.said.replace(/^.*has had no security fixes.*\n/m, '');
  };

  it('loads CommonJS files, ES modules, and packages in its order, with their settings from the environment and .env', async () => {
    write('greeter.cjs', GREETER);
    write('node_modules/@team/notes/package.json', '{"type":"module","exports":{".":{"import":"./main.js"}}}');
    write('node_modules/@team/notes/main.js', NOTE);
    write('last.mjs', `console.log('loading last'); export default { name: 'last' };`);
    write('.env', 'GREETER_GREETING=Welcome\nGREETER_MARK=?\n');
    const started = launch(' @team/notes, ./greeter.cjs ,,./last.mjs', { GREETER_MARK: '!', GREETER_GREETNG: 'Hi' });
    const response = await fetch(`${await started.url()}/api/v1/greeting`);
    expect(await response.json()).toEqual({ text: 'Welcome!' });
    expect(started.said.match(/^loading \w+/gm)).toEqual(['loading notes', 'loading greeter', 'loading last']);
    const warnings = started.said.match(/^\{.*"context":"Settings".*$/gm)?.map((line): unknown => JSON.parse(line));
    expect(warnings).toEqual([
      expect.objectContaining({
        message:
          'GREETER_GREETNG is not a setting of extension "greeter" and has no effect: did you mean GREETER_GREETING?',
      }),
    ]);
  });

  it.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    [
      'a file that does not exist',
      './missing.js',
      {},
      /^EXTENSIONS: \.\/missing\.js cannot be loaded from \S+ \(Cannot find module '\S+missing\.js'\)\.\n$/,
    ],
    [
      'a package that is not installed',
      '@team/missing',
      {},
      /^EXTENSIONS: @team\/missing cannot be loaded from \S+ \(Cannot find module '@team\/missing'\)\.\n$/,
    ],
    [
      'a file without an extension in it',
      './a.mjs',
      { 'a.mjs': 'export const name = "a";' },
      /^EXTENSIONS: \.\/a\.mjs has no extension as its default export\. Write: export default/,
    ],
    [
      'a file that throws',
      './a.cjs',
      { 'a.cjs': `throw new Error('no licence key')` },
      /^EXTENSIONS: \.\/a\.cjs cannot be loaded from \S+ \(no licence key\)\.\n$/,
    ],
    [
      'a file with a syntax error',
      './a.mjs',
      { 'a.mjs': 'export default {' },
      /^EXTENSIONS: \.\/a\.mjs cannot be loaded from \S+ \(Unexpected end of input\)\.\n$/,
    ],
    [
      'a duplicate extension',
      './a.mjs,./a.mjs',
      { 'a.mjs': `export default { name: 'a' }` },
      /^Extension "a": there are two extensions with this name\. Remove one, or rename it\.\n$/,
    ],
  ])('stops the start with one sentence for %s', async (_what, extensions, files, sentence) => {
    for (const [path, text] of Object.entries(files)) write(path, text);
    expect(await refusalOf(extensions)).toMatch(sentence);
  });

  it('stops the start when a package brings its own copy of Nest, with both versions and both folders', async () => {
    write('node_modules/@team/greeter/package.json', '{"main":"./main.cjs"}');
    write('node_modules/@team/greeter/main.cjs', GREETER);
    const copy = place('node_modules/@team/greeter/node_modules/@nestjs/common');
    cpSync(join(ROOT, 'node_modules/@nestjs/common'), copy, { recursive: true });
    writeFileSync(join(copy, 'package.json'), '{"name":"@nestjs/common","version":"10.4.1"}');
    const { version } = readJson('node_modules/@nestjs/common/package.json') as { version: string };
    const said = await refusalOf('@team/greeter');
    expect(said).toContain(
      `Two copies of @nestjs/common are loaded: ${version} in ${join(ROOT, 'node_modules/@nestjs/common')}, which the service ` +
        `uses, and 10.4.1 in ${copy}, which an extension imports.`,
    );
    expect(said).toContain(`a peer dependency that allows ${version}, then run npm dedupe`);
    expect(said).not.toMatch(/^\s+at /m);
  });

  it('stops the start when an extension imports another copy of the service than the one that was started', async () => {
    write(
      'sub/greeter.cjs',
      NOTE.replace(/import (.*) from (.*);/, 'const $1 = require($2);').replace('export default', 'exports.default ='),
    );
    write('sub/node_modules/uptime-monitor/package.json', '{"version":"9.9.9","main":"./main.js"}');
    write('sub/node_modules/uptime-monitor/main.js', 'exports.defineExtension = (extension) => extension;');
    const { version } = readJson('package.json') as { version: string };
    expect(await refusalOf('./sub/greeter.cjs')).toContain(
      `Two copies of uptime-monitor are loaded: ${version} in ${ROOT}, which was started, and 9.9.9 in ` +
        `${join(folder.path, 'sub/node_modules/uptime-monitor')}, which an extension imports.`,
    );
  });

  const forgetfulPackage = (): void => {
    write('node_modules/@team/forgetful/package.json', '{"type":"module","main":"./main.js"}');
    write('node_modules/@team/forgetful/main.js', FORGETFUL);
  };

  it('keeps the service running after an unhandled rejection of an extension, which is logged with its name and counted', async () => {
    forgetfulPackage();
    const started = launch('@team/forgetful');
    const url = await started.url();
    await eventually('the log to tell', () => started.said.includes('nobody waits for this'));
    expect(started.said).toContain('Unhandled promise rejection in extension \\"forgetful\\": Error: nobody waits');
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'uptime_extension_rejections_total{extension="forgetful"} 1',
    );
  });

  it('ends the service as usual after a rejection that is not from an extension', async () => {
    forgetfulPackage();
    write('bug.cjs', `process.on('SIGUSR2', () => void Promise.reject(new Error('a bug of the service')));`);
    const started = folder.launch({
      env: { ...IN_MEMORY, EXTENSIONS: '@team/forgetful' },
      preload: join(folder.path, 'bug.cjs'),
    });
    await started.url();
    started.signal('SIGUSR2');
    expect(await started.ended()).toBe(1);
    expect(started.said).toContain('Error: a bug of the service');
  });

  it('names the migration that failed, and stops there', async () => {
    const migration = (name: string, sql: string): string =>
      `class ${name} { async up(runner) { await runner.query(${JSON.stringify(sql)}); } async down() {} }`;
    write(
      'taken.mjs',
      `${migration('Taken1800000000000', 'CREATE TABLE website (id int)')}
      export default { name: 'taken', migrations: [Taken1800000000000] };`,
    );
    write(
      'commits.mjs',
      `${migration('Commits1800000000000', 'COMMIT')}
      export default { name: 'commits', migrations: [Commits1800000000000] };`,
    );
    expect(await refusalOf('./taken.mjs')).toMatch(
      /^Extension "taken": migration Taken1800000000000 failed \(relation "website" already exists\)\. It was rolled back/m,
    );
    expect(await refusalOf('./commits.mjs')).toMatch(
      /^Extension "commits": migration Commits1800000000000 ends the transaction that it runs in\./m,
    );
  });
});

describe('the start with an extension whose route is shadowed by another route', () => {
  it('is stopped, also when a RouterModule of Nest sets the path', async () => {
    @Controller()
    class SumsController {
      @Get('sums')
      @Access('read')
      list(): string[] {
        return [];
      }
    }
    @Module({ controllers: [SumsController] })
    class SumsModule {}
    const modules = [SumsModule, RouterModule.register([{ path: 'api/v1/websites', module: SumsModule }])];
    await expect(startOwnApp({ role: 'api' }, { extensions: [{ name: 'sums', modules }] })).rejects.toThrow(
      'GET /api/v1/websites/sums never reaches SumsController.list, because WebsiteController.get serves ' +
        'GET /api/v1/websites/:id first. Choose another path.',
    );
  });
});
