import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySentences, otherCopies, requireOneCopy } from './copies';

const OWN = new Map([
  ['uptime-monitor', '/team/node_modules/uptime-monitor'],
  ['@nestjs/common', '/team/node_modules/@nestjs/common'],
  ['typeorm', '/team/node_modules/typeorm'],
]);
const VERSIONS: Readonly<Record<string, string>> = {
  '/team/node_modules/uptime-monitor': '0.1.0',
  '/team/node_modules/@nestjs/common': '11.2.10',
  '/ext/node_modules/@nestjs/common': '10.4.1',
  '/ext/node_modules/uptime-monitor': '0.2.0',
};
const versionOf = (folder: string): string => VERSIONS[folder] ?? 'unknown';
const copiesIn = (...files: string[]) => otherCopies(files, OWN).map(({ name, folder }) => [name, folder]);

describe('copies of packages that there may be one of', () => {
  it.each<[string, string[], [string, string][]]>([
    ['the one of the service', ['/team/node_modules/@nestjs/common/index.js'], []],
    ['a package that may be there twice', ['/ext/node_modules/rxjs/index.js', '/ext/index.js'], []],
    [
      "an extension's own one, once however many files of it are loaded",
      ['/ext/node_modules/@nestjs/common/index.js', '/ext/node_modules/@nestjs/common/pipes/index.js'],
      [['@nestjs/common', '/ext/node_modules/@nestjs/common']],
    ],
    [
      'one inside a package inside a package',
      ['/team/node_modules/ext/node_modules/typeorm/index.js'],
      [['typeorm', '/team/node_modules/ext/node_modules/typeorm']],
    ],
    ['what only lies inside the one of the service', ['/team/node_modules/typeorm/node_modules/uuid/index.js'], []],
    [
      'one on Windows',
      ['C:\\ext\\node_modules\\@nestjs\\common\\index.js'],
      [['@nestjs/common', 'C:\\ext\\node_modules\\@nestjs\\common']],
    ],
  ])('found: %s', (_what, files, found) => {
    expect(copiesIn(...files)).toEqual(found);
  });

  it('are told with both versions, both folders and the cure', () => {
    const copies = otherCopies(['/ext/node_modules/@nestjs/common/index.js'], OWN);
    expect(copySentences(copies, versionOf)).toEqual([
      'Two copies of @nestjs/common are loaded: 11.2.10 in /team/node_modules/@nestjs/common, which the service uses, and ' +
        '10.4.1 in /ext/node_modules/@nestjs/common, which an extension imports. Neither copy finds what the other ' +
        'provides. In the extension, declare a peer dependency that allows 11.2.10, then run npm dedupe (npm ls ' +
        '@nestjs/common shows which package requires another version).',
    ]);
  });

  it('are told as one when the service itself is there twice, with all that it brings', () => {
    const files = [
      '/ext/node_modules/@nestjs/common/index.js',
      '/ext/node_modules/uptime-monitor/dist/exports/index.js',
    ];
    expect(copySentences(otherCopies(files, OWN), versionOf)).toEqual([
      'Two copies of uptime-monitor are loaded: 0.1.0 in /team/node_modules/uptime-monitor, which was started, and 0.2.0 in ' +
        '/ext/node_modules/uptime-monitor, which an extension imports. Neither copy finds what the other provides. Start ' +
        'the copy in the project where the extension is installed (run npx uptime-monitor there).',
    ]);
  });

  it('are none in this process', () => {
    expect(requireOneCopy).not.toThrow();
  });

  it('are found inside jest, in the modules of the test file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-copy-'));
    const copy = join(folder, 'node_modules/class-transformer');
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, 'package.json'), '{"version":"0.4.0","main":"index.js"}');
    writeFileSync(join(copy, 'index.js'), '');
    jest.isolateModules(() => {
      const load = createRequire(__filename);
      load(copy);
      const { requireOneCopy: requireOne } = load('./copies') as typeof import('./copies');
      expect(requireOne).toThrow(`and 0.4.0 in ${copy}, which an extension imports.`);
    });
    rmSync(folder, { recursive: true });
  });
});
