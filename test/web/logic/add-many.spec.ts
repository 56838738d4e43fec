import type { UnrecordedCheck } from '../../../web/src/api/types';
import { type Choices, declared, linesOf, sitemapText, testsText, without } from '../../../web/src/logic/add-many';

const website = { id: 'ws_1', name: 'Shop', url: 'https://www.shop.example/', key: null, owner: null };
const choices = (more: Partial<Choices> = {}): Choices => ({
  target: 'hosts',
  name: '',
  interval: 60,
  names: {},
  websites: [],
  ...more,
});

describe('the addresses of a list', () => {
  it('are read one per line, each once, without empty lines and comments', () => {
    const lines = linesOf('# ours\r\nshop.example\n\nhttps://shop.example/\n  mail.example:25\nno address\nno address');
    expect(lines.map(({ text, guess }) => [text, guess?.url ?? null])).toEqual([
      ['shop.example', 'https://shop.example/'],
      ['mail.example:25', 'tcp://mail.example:25'],
      ['no address', null],
    ]);
  });

  it('keep all lines that mean them', () => {
    const text = '# ours\nshop.example\nhttps://shop.example/\nno address';
    const [shop, none] = linesOf(text);
    expect(shop && without(text, shop)).toBe('# ours\nno address');
    expect(none && without(text, none)).toBe('# ours\nshop.example\nhttps://shop.example/');
  });
});

describe('the document of a list', () => {
  const shape = (text: string, more: Partial<Choices> = {}) =>
    declared(linesOf(text), choices(more)).document.websites.map(({ key, name, url, endpoints }) => [
      `${key} ${name} ${url}`,
      ...endpoints.map((each) => `${each.key} ${each.name} ${each.type} ${each.url} ${each.interval}`),
    ]);

  it('has a website for each host', () => {
    expect(shape('shop.example/a?x\nwww.shop.example/\nmail.example:25')).toEqual([
      [
        'shop.example shop.example https://shop.example/',
        'shop.example-a shop.example/a HTTPS https://shop.example/a?x 60',
        'shop.example shop.example HTTPS https://www.shop.example/ 60',
      ],
      [
        'mail.example mail.example http://mail.example/',
        'mail.example-port-25 mail.example port 25 TCP tcp://mail.example:25 60',
      ],
    ]);
  });

  it('has one new website if that is wanted, and the given names', () => {
    expect(
      shape('a.example\nb.example', {
        target: 'new',
        name: ' Ours ',
        interval: 30,
        names: { 'https://b.example/': 'B' },
      }),
    ).toEqual([
      [
        'ours Ours https://a.example/',
        'a.example a.example HTTPS https://a.example/ 30',
        'b.example B HTTPS https://b.example/ 30',
      ],
    ]);
  });

  it.each<[string, Partial<Choices>, string]>([
    ['of the host', { websites: [website] }, 'shop Shop https://www.shop.example/'],
    ['of the host by its key', { websites: [{ ...website, key: 'main' }] }, 'main Shop https://www.shop.example/'],
    ['that was chosen', { websites: [{ ...website, url: 'https://x/' }], target: 'ws_1' }, 'shop Shop https://x/'],
    [
      'that is new next to one that a document declares',
      { websites: [{ ...website, key: 'shop.example', owner: 'repo' }] },
      'shop.example-2 shop.example https://shop.example/',
    ],
  ])('puts them into the website %s', (_, more, expected) => {
    expect(shape('shop.example', more)[0]?.[0]).toBe(expected);
  });

  it('has keys that differ also if the names do not, and shows the line of each address', () => {
    const { places } = declared(linesOf('https://a.example/x-y\nhttps://a.example/x/y\nnothing at all'), choices());
    expect([...places]).toEqual([
      ['https://a.example/x-y', { pointer: '/websites/0/endpoints/0', path: 'a.example/a.example-x-y' }],
      ['https://a.example/x/y', { pointer: '/websites/0/endpoints/1', path: 'a.example/a.example-x-y-2' }],
    ]);
  });
});

describe('the sentences about a list', () => {
  const done = (outcome: 'up' | 'down') => ({ state: 'done' as const, check: { outcome } as UnrecordedCheck });

  it.each([
    ['', []],
    ['0 of 2 tested: 0 up.', [undefined, { state: 'running' as const }]],
    ['1 endpoint tested: 1 up.', [done('up')]],
    ['3 endpoints tested: 1 up, 2 not.', [done('up'), done('down'), { state: 'refused' as const, reason: 'no' }]],
  ])('contain %p', (text, tests) => {
    expect(testsText(tests)).toBe(text);
  });

  it('contain the result of a sitemap', () => {
    expect(sitemapText({ urls: ['https://x/'], truncated: false, skipped: 0 })).toBe('1 URL read.');
    expect(sitemapText({ urls: ['a', 'b'], truncated: true, skipped: 3 })).toBe(
      '2 URLs read. There are more. These are the first. 3 on other hosts were left out.',
    );
  });
});
