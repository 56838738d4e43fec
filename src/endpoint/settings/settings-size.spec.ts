import { type SizedSettings, sizeProblems } from './settings-size';

const KIB = 1024;
const settings = (part: Partial<SizedSettings>): SizedSettings => ({
  headers: [],
  body: null,
  assertions: [],
  ...part,
});
const headers = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({ key: 'k', value: 'v'.repeat(bytes) }));
const assertions = (count: number) =>
  Array.from({ length: count }, () => ({ source: 'body', comparison: 'contains', target: 't'.repeat(1000) }) as const);

describe('the size of settings', () => {
  it.each([
    { name: 'nothing', now: {}, before: null, found: [] },
    { name: 'header values of 16 KiB', now: { headers: headers(4, 4 * KIB) }, before: null, found: [] },
    { name: 'a byte more', now: { headers: [...headers(4, 4 * KIB), ...headers(1, 1)] }, found: ['/headers'] },
    { name: 'a body of almost 32 KiB', now: { body: 'b'.repeat(32 * KIB - 2) }, found: [] },
    { name: 'a body of characters of two bytes', now: { body: 'é'.repeat(16 * KIB) }, found: ['/body'] },
    {
      name: 'large assertions',
      now: { assertions: assertions(20), body: 'b'.repeat(14 * KIB) },
      found: ['/assertions'],
    },
    {
      name: 'a body as large as previously',
      now: { body: 'b'.repeat(60_000) },
      before: { body: 'b'.repeat(60_000) },
      found: ['/body'],
    },
    { name: 'a smaller body', now: { body: 'b'.repeat(59_999) }, before: { body: 'b'.repeat(60_000) }, found: [] },
    {
      name: 'a body that became smaller next to headers that grew by more',
      now: { body: 'b'.repeat(59_000), headers: headers(1, 2000) },
      before: { body: 'b'.repeat(60_000) },
      found: ['/body'],
    },
  ])('$name: $found', ({ now, before, found }) => {
    const stored = before ? settings(before) : null;
    expect(sizeProblems(settings(now), stored).map(({ pointer }) => pointer)).toEqual(found);
  });

  it('does not reveal the size, because a part may be hidden from the client', () => {
    const large = (bytes: number) =>
      sizeProblems(settings({ body: 'b'.repeat(bytes), headers: headers(5, bytes) }), null);
    expect(large(40_000)).toEqual(large(40_001));
  });
});
