import { serviceTime } from './read-response';

describe('the time at the service', () => {
  it('is what its response says', () => {
    const headers = new Headers({ Date: 'Fri, 02 Jan 2026 03:04:05 GMT' });
    expect(serviceTime(headers).toISOString()).toBe('2026-01-02T03:04:05.000Z');
  });

  it.each<Record<string, string>>([{}, { Date: 'yesterday' }])('is that of this machine with %j', (headers) => {
    expect(Number.isNaN(serviceTime(new Headers(headers)).getTime())).toBe(false);
  });
});
