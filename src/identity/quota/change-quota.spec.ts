import { isDisabling, problemOfChanges } from './change-quota';

describe('isDisabling', () => {
  it.each([
    ['a switch turned off', 'PUT', { enabled: false }, true],
    ['a switch turned on', 'PUT', { enabled: true }, false],
    ['a switch and more', 'PUT', { enabled: false, name: 'a' }, false],
    ['another field', 'PUT', { name: false }, false],
    ['a creation', 'POST', { enabled: false }, false],
    ['no fields', 'PUT', {}, false],
    ['a list', 'PUT', [false], false],
    ['a text', 'PUT', 'enabled: false', false],
    ['nothing', 'PUT', undefined, false],
  ])('%s', (_, method, body, expected) => {
    expect(isDisabling(method, body)).toBe(expected);
  });
});

describe('problemOfChanges', () => {
  it.each([
    [67_108_864, 67_200_000, 'have added 64.1 MiB today, and the limit is 64.0 MiB'],
    [20_000, 20_001, 'have added 20 KiB today, and the limit is 20 KiB'],
    [0, 0, 'have added 0 KiB today, and the limit is 0 KiB'],
  ])('of %i bytes reports how much was added and when changes are accepted again', (limit, used, words) => {
    const { status, detail, headers } = problemOfChanges(limit, used, 42);
    expect([status, headers['Retry-After']]).toEqual([429, '42']);
    expect(detail).toContain(words);
  });
});
