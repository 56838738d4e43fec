import { serviceTime, withQuery } from './call-api';

describe('a query', () => {
  it.each([
    [{}, '/endpoints'],
    [{ tag: undefined }, '/endpoints'],
    [{ limit: 25, q: 'a&b=ü', prune: true }, '/endpoints?limit=25&q=a%26b%3D%C3%BC&prune=true'],
  ])('%j makes %s', (query, expected) => {
    expect(withQuery('/endpoints', query)).toBe(expected);
  });
});

describe('the time at the service', () => {
  it('is what its response says', () => {
    const headers = new Headers({ Date: 'Fri, 02 Jan 2026 03:04:05 GMT' });
    expect(serviceTime(headers).toISOString()).toBe('2026-01-02T03:04:05.000Z');
  });

  it.each<Record<string, string>>([{}, { Date: 'yesterday' }])('is that of this machine with %j', (headers) => {
    expect(Number.isNaN(serviceTime(new Headers(headers)).getTime())).toBe(false);
  });
});
