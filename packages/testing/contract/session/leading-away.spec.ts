import type { Operation } from '../document/openapi';
import { addressesLeadingAway } from './leading-away';

const OPERATIONS: Operation[] = ['/api/v1/websites', '/status/{page}'].map((path) => ({
  name: `GET ${path}`,
  method: 'GET',
  path,
  operationId: path,
  responses: {},
}));

const BASE = 'https://uptime.example.com/monitor';

function awayOf(headers: Record<string, string>, body: unknown = null, text = ''): string[] {
  const response = { headers, body, text };
  return addressesLeadingAway(OPERATIONS, { baseUrl: BASE, path: '/api/v1/websites', response });
}

describe('a URL in a response points outside a service below a path', () => {
  it.each<[string, Record<string, string>]>([
    ['a Location from the root of the host', { location: '/api/v1/websites/ws_1' }],
    ['a Location one step too high', { location: '../../../api/v1/websites/ws_1' }],
    ['a link to the next page', { link: '</api/v1/websites?cursor=x>; rel="next"' }],
    ['the path of a cookie', { 'set-cookie': 'a=b; Path=/other; HttpOnly' }],
  ])('if it is %s', (_, headers) => {
    expect(awayOf(headers)).toHaveLength(1);
  });

  it('if it is a path in JSON that the service has', () => {
    expect(awayOf({}, { pages: [{ path: '/status/shop', note: '/nowhere' }] })).toEqual(['/status/shop']);
  });

  it('if it is a link, an image, or a form in a page', () => {
    const html = '<a href="/status/x"><img src="/logo"><form action="/go"><a href="#top"><a href="x">';
    expect(awayOf({ 'content-type': 'text/html' }, null, html)).toEqual(['/status/x', '/logo', '/go']);
  });
});

describe('a URL in a response points inside a service below a path', () => {
  it.each<[string, Record<string, string>, unknown]>([
    ['when it is relative', { location: '../../api/v1/websites/ws_1', link: '<?cursor=x>; rel="next"' }, null],
    ['when it has the path', { location: '/monitor/api/v1/websites/ws_1' }, { path: '/monitor/status/shop' }],
    ['when it is of another server', { location: 'https://login.example.com/' }, { url: 'https://example.com/' }],
    ['when it is the path of a cookie that covers the service', { 'set-cookie': 'a=b; Path=/' }, null],
    ['when it is a pointer into a body', {}, { errors: [{ pointer: '/status/shop' }] }],
  ])('%s', (_, headers, body) => {
    expect(awayOf(headers, body)).toEqual([]);
  });
});
