import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AFTER, BEFORE, OUTAGE, PEOPLE, PROBES, SHOWN } from '../web/pictures';
import { readText, ROOT } from './project-files';

const FOLDER = 'docs/images';
const MOST_BYTES = 120 * 1024;

const pictures = readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.includes('.'))
  .map((path) => path.replaceAll('\\', '/'))
  .sort();

// What they show is no subject of a test: there are times in it, and a machine's fonts.
describe('the pictures of the documents', () => {
  it('are those that npm run pictures makes, or made of the dashboard before', () => {
    const hour = [...readText('test/web/first-hour.spec.ts').matchAll(/await picture\('([\w-]+)'/g)];
    const made = [...SHOWN, ...AFTER, ...BEFORE, ...PROBES, ...PEOPLE, ...OUTAGE].map(({ name }) => name);
    const expected = [...made, ...hour.map(([, name]) => `first-hour/${name}`)].map((name) => `${name}.png`);
    expect(pictures).toEqual(expected.sort());
  });

  it('are each shown by a document', () => {
    const names = ['first-hour', 'before-after', 'incidents', 'people', 'probes'].map((name) => `docs/${name}.md`);
    const documents = ['README.md', ...names].map(readText).join('\n');
    const shown = [...documents.matchAll(/\((?:docs\/)?images\/([\w./-]+)\)/g)].map(([, path = '']) => path);
    expect([...new Set(shown)].sort()).toEqual(pictures);
  });

  it('are small', () => {
    const large = pictures.filter((path) => statSync(join(ROOT, FOLDER, path)).size > MOST_BYTES);
    expect(large).toEqual([]);
  });
});
