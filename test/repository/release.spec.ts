import { readJson, readText } from './project-files';

// `uptime --version` is held to package.json by test/contract/cli/uptime.spec.ts.
describe('the version of a release', () => {
  const { version } = readJson('package.json') as { version: string };

  it('is that of package.json in the lock file', () => {
    const lock = readJson('package-lock.json') as { version: string; packages: Record<string, { version: string }> };
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
  });

  it('is the newest of CHANGELOG.md, each with its date, newest first', () => {
    const titles = [...readText('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
    const released = titles.filter((title) => title !== 'Unreleased');
    expect(released[0]).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} — \\d{4}-\\d{2}-\\d{2}$`));
    const numbers = released.map((title) => title.split(' ')[0] ?? '');
    const newestFirst = [...numbers].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    expect(numbers).toEqual(newestFirst);
    expect(titles.indexOf('Unreleased')).toBeLessThanOrEqual(0);
  });

  it('is in the image, which takes it from package.json and says no other', () => {
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

  // That of its routes stays while releases come.
  it('is that of the API document', () => {
    const { info } = readJson('docs/openapi.json') as { info: { version: string } };
    expect(info.version).toBe(version);
  });
});
