import { readSitemap, type SitemapKind } from './read-sitemap';
import { SitemapRefusal } from './sitemap-refusal';

const read = (text: string, most = Infinity): [SitemapKind, ...string[]] => {
  const addresses: string[] = [];
  const { kind } = readSitemap(text, (_, address) => addresses.push(address) < most);
  return [kind, ...addresses];
};

const refusalOf = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof SitemapRefusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'read';
};

const url = (loc: string) => `<url><loc>${loc}</loc></url>`;
const urlset = (inside: string) => `<urlset>${inside}</urlset>`;

describe('readSitemap', () => {
  it.each<[string, string, [SitemapKind, ...string[]]]>([
    [
      'a sitemap with declaration, comment and style sheet',
      `\ufeff<?xml version="1.0"?><?xml-stylesheet href="a>b"?><!-- <loc>no</loc> -->\n${urlset(url('\n https://x/ \n'))}\n`,
      ['urlset', 'https://x/'],
    ],
    ['prefixes', '<s:urlset xmlns:s="x"><s:url><s:loc>https://x/</s:loc></s:url></s:urlset>', ['urlset', 'https://x/']],
    [
      'an index',
      '<sitemapindex><sitemap><loc>https://x/1.xml</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>',
      ['sitemapindex', 'https://x/1.xml'],
    ],
    ['entities', urlset(url('https://x/?a=1&amp;b=&#50;&#x33;')), ['urlset', 'https://x/?a=1&b=23']],
    ['CDATA', urlset(url('<![CDATA[https://x/?a=1&b=2]]>')), ['urlset', 'https://x/?a=1&b=2']],
    [
      'pages without the addresses of their images',
      urlset(`<url><loc>https://x/</loc><image:image><image:loc>https://x/a.png</image:loc></image:image></url>`),
      ['urlset', 'https://x/'],
    ],
    ['an empty sitemap', '<urlset/>', ['urlset']],
  ])('reads %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('stops when no more URLs are needed, regardless of what follows', () => {
    expect(read(`<urlset>${url('https://x/1')}${url('https://x/2')}<!DOCTYPE`, 2)).toEqual([
      'urlset',
      'https://x/1',
      'https://x/2',
    ]);
  });

  const BOMB = `<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${urlset(url('&b;'))}`;
  it.each([
    ['entities that multiply', BOMB, 'invalid_syntax: it has a DTD, which is not supported'],
    [
      'a DTD after the declaration',
      '<?xml version="1.0"?>\n<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset/>',
      'DTD',
    ],
    ['a DTD in the middle', '<urlset><!ENTITY a "b"></urlset>', 'DTD'],
    ['an entity that nobody declared', urlset(url('https://x/&b;')), 'an unknown entity'],
    ['an entity named like a property of all objects', urlset(url('&toString;')), 'an unknown entity'],
    ['a character beyond Unicode', urlset(url('&#x110000;')), 'an unknown entity'],
    ['a page', '<!doctype html><html></html>', 'DTD'],
    ['a page without a doctype', '<html><body></body></html>', 'does not start with the tag'],
    ['a text', 'https://x/\n', 'it is not XML'],
    ['nothing', ' ', 'it is empty'],
    ['two roots', '<urlset/><urlset/>', 'two root elements'],
    ['an end that is missing', '<urlset><url>', 'the file ends before its tags are closed'],
    ['an end that is another one', '<urlset></url>', 'a closing tag does not match an open one'],
    ['a tag in an address', urlset(url('<b>x</b>')), 'a URL contains tags'],
    ['tags in tags in tags', '<urlset>' + '<a>'.repeat(8), 'too_deep'],
    ['a long address', urlset(url('x'.repeat(2049))), 'more than 2048 characters'],
    ['a long address in pieces', urlset(url('x<!---->'.repeat(2049))), 'more than 2048 characters'],
    ['a long address in CDATA', urlset(url(`<![CDATA[${'x'.repeat(5000)}]]>`)), 'more than 2048 characters'],
    ['a long tag', `<urlset ${'a="" '.repeat(1000)}>`, 'a tag has more than 2000 characters'],
  ])('refuses %s', (_, text, expected) => {
    expect(refusalOf(text)).toContain(expected);
  });

  const MEBIBYTES = 5 * 1024 * 1024;
  it.each([
    ['comments that open', '<!--'],
    ['CDATA that opens', '<![CDATA['],
    ['tags that open', '<a'],
    ['ampersands', '&'],
    ['spaces', ' '],
    ['tags that open and close', '<a></a>'],
  ])('takes linear, not quadratic, time for %s', (_, piece) => {
    const text = `<urlset><url><loc>${piece.repeat(MEBIBYTES / piece.length)}`;
    const began = performance.now();
    refusalOf(text);
    refusalOf(text.replace('<url><loc>', ''));
    // This takes about 30 ms. A quadratic algorithm would take hours.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('stops after 20,000 tags, and reports it', () => {
    const text = urlset('<a/>'.repeat(20_000) + url('https://x/'));
    expect(readSitemap(text, () => true)).toEqual({ kind: 'urlset', isCut: true });
    expect(refusalOf(`${'<!---->'.repeat(20_000)}<urlset/>`)).toContain('it contains only comments');
  });
});
