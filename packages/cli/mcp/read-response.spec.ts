import { serviceTime } from './read-response';

describe('the time of the service', () => {
  it('is the time in its response', () => {
    const headers = new Headers({ Date: 'Fri, 02 Jan 2026 03:04:05 GMT' });
    expect(serviceTime(headers).toISOString()).toBe('2026-01-02T03:04:05.000Z');
  });

  it.each<Record<string, string>>([{}, { Date: 'yesterday' }])('is the time of this machine with %j', (headers) => {
    expect(Number.isNaN(serviceTime(new Headers(headers)).getTime())).toBe(false);
  });
});
