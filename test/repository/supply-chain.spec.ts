import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askScript, readJson, readText, ROOT } from './project-files';

interface Locked {
  resolved?: string;
  integrity?: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
  hasInstallScript?: boolean;
  funding?: { url?: string };
}

interface Lock {
  packages: Record<string, Locked>;
}

describe('the supply chain', () => {
  const { packages } = readJson('package-lock.json') as Lock;
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

  it('the lock file pins every package by hash and names no registry', () => {
    expect(installed.length).toBeGreaterThan(500);
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual(
      [],
    );
  });

  it('package.json depends on exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = readJson('package.json') as Record<
      'dependencies' | 'devDependencies' | 'optionalDependencies',
      Record<string, string>
    >;
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(ranges).toEqual([]);
  });

  it('no install script runs, and no code of the repository waits for a script that npm then does not run either', () => {
    expect(readText('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
    const names = Object.keys(scripts);
    const around = names.filter((name) => names.some((other) => name === `pre${other}` || name === `post${other}`));
    expect(around).toEqual([]);
    // Scripts that need dist build it. `npm pack` from another folder, where npm may run scripts, also has `prepack`.
    const needing = Object.entries(scripts).filter(([, command]) => /\bdist\/|npm pack|demo\.mjs/.test(command));
    expect(needing.length).toBeGreaterThan(6);
    expect(
      needing.filter(([, command]) => !/^node scripts\/(built\.cjs|build\.mjs --if-needed)/.test(command)),
    ).toEqual([]);
  });

  it('the repository has no binary that a reviewer could not open, except pictures and the font', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
    const binary = files.filter((file) => file !== '' && readFileSync(join(ROOT, file)).includes(0));
    expect(binary.filter((file) => !/\.(?:png|ico)$/.test(file))).toEqual(['web/src/fonts/inter-latin.woff2']);
  });

  it('SECURITY.md has the number of production packages', () => {
    const production = askScript('licences.mjs', `it.productionLicences(process.cwd())`) as unknown[];
    expect(readText('SECURITY.md')).toContain(` ${production.length} production packages,`);
  });

  it('no package reports an installation to its maker', () => {
    const { packages: all } = readJson('package-lock.json') as { packages: Record<string, { name?: string }> };
    const scarf = Object.entries(all).filter(([path, { name }]) => (name ?? nameOf(path)) === '@scarf/scarf');
    expect(scarf).toEqual([]);
  });

  it('single sign-on adds three packages of one author, which have no build step at the install', () => {
    const brought = new Set(['openid-client']);
    for (const name of brought)
      for (const other of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {})) brought.add(other);
    expect([...brought]).toEqual(['openid-client', 'jose', 'oauth4webapi']);
    const found = [...brought].map((name) => packages[`node_modules/${name}`]);
    expect(new Set(found.map((locked) => locked?.funding?.url)).size).toBe(1);
    expect(found.some((locked) => locked?.hasInstallScript)).toBe(false);
  });

  it('every production package has an allowed license, and no other license is allowed', () => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/licences.mjs'], { cwd: ROOT, encoding: 'utf8' });
    // Another package must be worth the trust in it, so adding one requires changing this line.
    expect(stdout).toMatch(/^228 production packages, 0 not allowed$/m);
    expect(status).toBe(0);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-only', false],
    ['UNLICENSED', false],
  ])('the license %s is allowed: %s', (expression, allowed) => {
    expect(askScript('licences.mjs', `it.isAllowed(${JSON.stringify(expression)})`)).toBe(allowed);
  });

  it('every package imported by the dashboard and the help counts as bundled', () => {
    const bundled = askScript('licences.mjs', 'it.BUNDLED') as string[];
    const sources = ['web/src', 'web/help'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
    const imported = sources
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('vite.config.ts'))
      .flatMap((name) => [...readText(name).matchAll(/ from '([^.'][^']*)'/g)].map(([, from = '']) => from))
      .map((from) =>
        from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((name) => !bundled.includes(name))).toEqual([]);
  });

  it('the origin of a release names its commit, its lock file, and the hash of each file, from a clean tree only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-provenance-'));
    const file = `${folder}.json`;
    try {
      const git = (...words: string[]): string =>
        execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words], {
          cwd: folder,
          encoding: 'utf8',
        }).trim();
      const write = () => {
        const script = join(ROOT, 'scripts/provenance.mjs');
        const options = { cwd: folder, encoding: 'utf8' } as const;
        return spawnSync(process.execPath, [script, file, 'file.tgz'], options);
      };
      writeFileSync(join(folder, 'package.json'), '{"name":"a","version":"1.2.3"}');
      writeFileSync(join(folder, 'package-lock.json'), '{}');
      writeFileSync(join(folder, 'file.tgz'), 'bytes');
      git('init', '--quiet');
      expect(write()).toMatchObject({ status: 1, stderr: expect.stringContaining('no commit contains') });
      git('add', '.');
      git('commit', '--quiet', '--message', 'x');
      expect(write()).toMatchObject({ status: 0, stderr: '' });
      const statement: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const sha256 = createHash('sha256').update('bytes').digest('hex');
      expect(statement).toMatchObject({
        subject: [{ name: 'file.tgz', digest: { sha256 } }],
        predicate: {
          buildDefinition: {
            externalParameters: { package: 'a', version: '1.2.3' },
            resolvedDependencies: [{ digest: { gitCommit: git('rev-parse', 'HEAD') } }, { name: 'package-lock.json' }],
          },
        },
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
      rmSync(file, { force: true });
    }
  });

  it('the bill of materials has every production package with its hash and license', () => {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-sbom-'));
    try {
      const file = join(folder, 'sbom.json');
      execFileSync(process.execPath, ['scripts/sbom.mjs', file], { cwd: ROOT, stdio: 'ignore' });
      const sbom = JSON.parse(readFileSync(file, 'utf8')) as {
        bomFormat: string;
        components: { purl: string; hashes?: object[] }[];
      };
      expect(sbom.bomFormat).toBe('CycloneDX');
      const production = askScript('licences.mjs', `it.productionLicences(process.cwd())`) as {
        name: string;
        version: string;
      }[];
      const listed = new Set(sbom.components.map(({ purl }) => decodeURIComponent(purl)));
      for (const { name, version } of production) expect(listed).toContain(`pkg:npm/${name}@${version}`);
      expect(sbom.components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
