import { MAX_LOGO_BYTES, readDomain, readLogo } from './page-rules';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const dataUrl = (body: Buffer, type = 'image/png') => `data:${type};base64,${body.toString('base64')}`;
const problemOf = (text: string): string | null => {
  const logo = readLogo(text);
  return 'problem' in logo ? logo.problem : null;
};

describe('the logo of a page', () => {
  it.each([
    ['PNG', PNG, 'image/png'],
    ['JPEG', Buffer.from('ffd8ffe000', 'hex'), 'image/jpeg'],
    ['WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'image/webp'],
  ])('can be a %s, regardless of the type in its data: URL', (_, body, type) => {
    expect(readLogo(dataUrl(body, 'image/gif'))).toMatchObject({ body, type });
  });

  it.each([
    ['an SVG', dataUrl(Buffer.from('<svg onload="alert(1)"/>'), 'image/svg+xml'), 'PNG, JPEG or WebP'],
    ['a page that calls itself a picture', dataUrl(Buffer.from('<html>')), 'PNG, JPEG or WebP'],
    ['an address', 'https://tracker.example/logo.png', 'data: URL'],
    ['text instead of base64', 'data:image/png,hello', 'data: URL'],
    ['a large one', dataUrl(Buffer.concat([PNG, Buffer.alloc(MAX_LOGO_BYTES)])), '64 KiB'],
  ])('cannot be %s', (_, text, why) => {
    expect(problemOf(text)).toContain(why);
  });
});

describe('the domain of a page', () => {
  it.each([
    ['status.example.com', 'status.example.com'],
    [' Status.EXAMPLE.com ', 'status.example.com'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
  ])('%j is %s', (text, name) => {
    expect(readDomain(text)).toBe(name);
  });

  it.each([
    ['localhost'],
    ['status'],
    ['127.0.0.1'],
    ['[::1]'],
    ['status.example.com:80'],
    ['https://status.example.com'],
    ['status.example.com/path'],
    ['a..example.com'],
    ['-a.example.com'],
    ['db.internal'],
    [`${'a.'.repeat(130)}com`],
    [''],
  ])("%j isn't a domain", (text) => {
    expect(readDomain(text)).toBeNull();
  });
});
