import express from 'express';
import { publicPathOf, rootAbove, rootFor, setPublicPath } from './own-address';

describe('the path of PUBLIC_URL', () => {
  it.each([
    [null, ''],
    ['https://uptime.example.com', ''],
    ['https://uptime.example.com/', ''],
    ['https://example.com/monitor', '/monitor'],
    ['https://example.com/a/b/', '/a/b'],
  ])('for %j is %j', (publicUrl, expected) => {
    expect(publicPathOf(publicUrl)).toBe(expected);
  });
});

describe('the relative path to the root of the service', () => {
  it.each(['/', '/docs', '/docs/', '/status/shop', '/status/shop/history?month=2026-11', '/api/v1/websites?a=b/c/d'])(
    'leads to the root from %s, with and without a path prefix',
    (path) => {
      for (const base of ['https://example.com', 'https://example.com/monitor', 'https://example.com/a/b'])
        expect(new URL(`${rootAbove(path)}/favicon.svg`, base + path).href).toBe(`${base}/favicon.svg`);
    },
  );

  it('is the same for a request with an absolute URL', () => {
    expect(rootAbove('http://example.com/status/shop')).toBe('..');
  });
});

describe('the prefix of a URL in a response', () => {
  it.each([
    [null, ''],
    ['https://uptime.example.com', ''],
    ['https://example.com/monitor', '../..'],
  ])('with PUBLIC_URL %j is %j', (publicUrl, expected) => {
    const app = express();
    setPublicPath(app, publicUrl);
    expect(rootFor({ app, originalUrl: '/api/v1/websites' })).toBe(expected);
  });
});
