import { createHash } from 'node:crypto';
import { RELEASES } from '../../src/platform/database/migrations/releases';
import { readJson, readText } from './project-files';

/** The released sections of CHANGELOG.md, by the first digits of their SHA-256. A release adds a line. */
const RELEASED: Readonly<Record<string, string>> = {
  '0.1.0': 'c3793b00aca1dada',
};

// test/contract/cli/uptime.spec.ts compares `uptime --version` with package.json.
describe('the version of a release', () => {
  const { version } = readJson('package.json') as { version: string };

  it('equals the version of package.json in the lock file', () => {
    const lock = readJson('package-lock.json') as { version: string; packages: Record<string, { version: string }> };
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
  });

  it('is the newest in CHANGELOG.md, each with its date, newest first', () => {
    const titles = [...readText('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
    const released = titles.filter((title) => title !== 'Unreleased');
    expect(released[0]).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} — \\d{4}-\\d{2}-\\d{2}$`));
    const numbers = released.map((title) => title.split(' ')[0] ?? '');
    const newestFirst = [...numbers].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    expect(numbers).toEqual(newestFirst);
    expect(titles.indexOf('Unreleased')).toBeLessThanOrEqual(0);
  });

  it('has a section in CHANGELOG.md that stays as it was released', () => {
    const [, ...sections] = readText('CHANGELOG.md').split(/^## /m);
    const hashes = sections
      .filter((section) => !section.startsWith('Unreleased'))
      .map((section): [string, string] => [
        section.split(' ')[0] ?? '',
        createHash('sha256').update(section.trim()).digest('hex').slice(0, 16),
      ]);
    expect(Object.fromEntries(hashes)).toEqual(RELEASED);
  });

  it('has its newest migration in the list of `npm run downgrade`, whose migrations are in its dump', () => {
    expect(Object.keys(RELEASES)).toEqual(Object.keys(RELEASED));
    for (const [release, migration] of Object.entries(RELEASES)) {
      const dumped = [
        ...readText(`test/fixtures/${release}.sql`).matchAll(/INTO public\.migrations VALUES .*'(\w+)'/g),
      ];
      expect([release, dumped.at(-1)?.[1]]).toEqual([release, migration]);
    }
  });

  it('is in the image, which takes it from package.json and names no other version', () => {
    const [image = ''] = readText('Dockerfile')
      .split(/^FROM /m)
      .slice(-1);
    expect(image).toMatch(/^COPY (?:\S+ )*package\.json /m);
    const said = ['Dockerfile', 'compose.yaml', 'compose.embedded.yaml'].flatMap((path) => [
      ...readText(path).matchAll(/image\.version="?([^"\s]+)|image: uptime-monitor:(\S+)/g),
    ]);
    const manifests = ['embedded', 'postgres'].flatMap((folder) => [
      ...readText(`deploy/kubernetes/${folder}/kustomization.yaml`).matchAll(/newTag: (\S+)()/g),
    ]);
    const tags = [...said, ...manifests].map(([, first, second]) => first || second);
    expect(tags.length).toBeGreaterThan(2);
    expect(tags.filter((tag) => tag !== 'latest' && tag !== version)).toEqual([]);
  });

  // The version of its routes stays the same across releases.
  it('equals the version of the API document', () => {
    const { info } = readJson('docs/openapi.json') as { info: { version: string } };
    expect(info.version).toBe(version);
  });
});
