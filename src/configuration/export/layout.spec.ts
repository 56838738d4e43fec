import { readDocumentText } from '../document/document-text';
import { JsonLayout, type Layout, YamlLayout } from './layout';

const HEAD = { version: 1, owner: 'shop-repo' } as const;
const WEBSITES = [
  { key: 'shop', name: 'Shop', endpoints: [{ key: 'front', body: { $secret: 'BODY' }, alerts: [] }, { key: 'back' }] },
  { key: 'blog', name: 'Blog' },
];

function written(layout: Layout, websites: readonly { endpoints?: readonly object[] }[], notes: string[] = []): string {
  let text = layout.head(HEAD, notes) + layout.section('websites');
  websites.forEach(({ endpoints = [], ...website }, place) => {
    text += layout.item(website, place);
    text += endpoints.map((endpoint, i) => layout.endpoint(endpoint, i)).join('');
    text += layout.itemEnd(endpoints.length);
  });
  return text + layout.sectionEnd() + layout.end();
}

const LAYOUTS = [
  ['YAML', new YamlLayout()],
  ['JSON', new JsonLayout()],
] as const;

describe('the layout of an export', () => {
  it.each(LAYOUTS)('can be read again as %s', (_, layout) => {
    const text = written(layout, WEBSITES, ['Of today.', '', 'key: value']);
    expect(readDocumentText(text).map(({ value }) => value)).toEqual([{ ...HEAD, websites: WEBSITES }]);
  });

  it('is YAML as people write it, with notes at the top', () => {
    expect(written(new YamlLayout(), WEBSITES, ['Of today.', '', 'Needs:'])).toBe(`# Of today.
#
# Needs:
version: 1
owner: shop-repo

websites:
  - key: shop
    name: Shop
    endpoints:
      - key: front
        body: { $secret: BODY }
        alerts: []
      - key: back
  - key: blog
    name: Blog
`);
  });

  it.each(
    [
      'yes',
      'null',
      '~',
      '1e3',
      '0x1f',
      '2026-01-01',
      ' x ',
      '',
      '- a',
      '# no comment',
      'a: b',
      'a #b',
      '{$secret: A}',
      'a:\n  $secret: A\n',
      '  two\n\n lines \n',
      'one\r\ntwo\rthree',
      'tab\tand \u0007 bell',
      'a\u2028b\u2029 c\u0085d',
      '\ufeff mark',
      '---',
      '...\n---\nversion: 2',
      '%YAML 1.1',
      '&a *b !c',
      '"quoted" \'twice\'',
      'emoji 🚀',
      '<<',
      '__proto__',
      `long ${'word '.repeat(100)}`,
      '-----BEGIN CERTIFICATE-----\nMIIB\n\n-----END CERTIFICATE-----\n',
    ].flatMap((text) => LAYOUTS.map(([name, layout]) => [text, name, layout] as const)),
  )('keeps %j as it is in %s', (text, _, layout) => {
    const websites = [
      { key: 'shop', name: text, tags: [text], endpoints: [{ key: 'front', name: text, url: { $secret: text } }] },
    ];
    const [document] = readDocumentText(written(layout, websites));
    expect(JSON.stringify(document?.value)).toBe(JSON.stringify({ ...HEAD, websites }));
  });
});
