import type { AuthenticatedRequest } from '../../access/caller';
import { askedRequest, digestOf, wellFormedKey } from './asked-request';

describe('the digest of a body', () => {
  const body = { name: 'Shop', headers: [{ key: 'A', value: '1' }], tls: { verify: true, ca: null } };
  const same = (other: unknown): boolean => digestOf(other).equals(digestOf(body));

  it.each([
    [
      'members in another order',
      true,
      { tls: { ca: null, verify: true }, headers: [{ value: '1', key: 'A' }], name: 'Shop' },
    ],
    ['other whitespace', true, JSON.parse(JSON.stringify(body, null, 4))],
    ['another value', false, { ...body, name: 'shop' }],
    ['a member more', false, { ...body, enabled: true }],
    ['an item more', false, { ...body, headers: [{ key: 'A', value: '1' }, {}] }],
    ['a number for a text', false, { ...body, headers: [{ key: 'A', value: 1 }] }],
    ['no body', false, undefined],
  ])('with %s is the same: %s', (_, isSame, other: unknown) => {
    expect(same(other)).toBe(isSame);
  });

  it.each([
    ['no body', 'null', undefined, null],
    ['a list', 'an object with indexes', [1, 2], { 0: 1, 1: 2 }],
    ['a list', 'the same in another order', [1, 2], [2, 1]],
    ['an empty object', 'one with an own __proto__', {}, JSON.parse('{"__proto__":1}')],
  ])('distinguishes %s from %s', (_, __, one: unknown, other: unknown) => {
    expect(digestOf(one).equals(digestOf(other))).toBe(false);
  });
});

describe('the route of a request', () => {
  const routeOf = (query: object): string | undefined => {
    const caller = { orgId: 'o' };
    const request = { headers: { 'idempotency-key': 'k' }, caller, method: 'POST', path: '/things', query, body: {} };
    return askedRequest(request as unknown as AuthenticatedRequest)?.route;
  };

  it('differs with another query, whose parameters can be in any order', () => {
    expect(routeOf({})).toBe('POST /things');
    expect(routeOf({ alerts: 'none' })).not.toBe(routeOf({}));
    expect(routeOf({ alerts: 'none' })).not.toBe(routeOf({ alerts: 'all' }));
    expect(routeOf({ a: '1', b: ['2', '3'] })).toBe(routeOf({ b: ['2', '3'], a: '1' }));
  });
});

describe('the key of a request', () => {
  it.each([
    ['one character', ['Idempotency-Key', 'a'], 'a'],
    ['spaces and signs', ['idempotency-key', '"a b"~!'], '"a b"~!'],
    ['255 characters', ['Idempotency-Key', 'x'.repeat(255)], 'x'.repeat(255)],
    ['256 characters', ['Idempotency-Key', 'x'.repeat(256)], null],
    ['nothing', ['Idempotency-Key', ''], null],
    ['a letter beyond ASCII', ['Idempotency-Key', 'clé'], null],
    ['a tab', ['Idempotency-Key', 'a\tb'], null],
    ['two headers', ['Idempotency-Key', 'a', 'idempotency-key', 'a'], null],
    ['the name as a value', ['X-Other', 'Idempotency-Key', 'Idempotency-Key', 'a'], 'a'],
    ['no header', ['Host', 'a'], null],
  ])('is read from %s', (_, rawHeaders, key) => {
    expect(wellFormedKey(rawHeaders)).toBe(key);
  });
});
