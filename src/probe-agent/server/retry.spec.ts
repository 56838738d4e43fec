import { askedPauseMs, meaningOf, retryAfterMs } from './retry';

describe('after a request that failed', () => {
  it.each([
    [1, 1, 1000],
    [2, 1, 2000],
    [4, 1, 8000],
    [5, 1, 10_000],
    [500, 1, 10_000],
    [500, 0.37, 3700],
    [500, 0, 0],
  ])('the %i. in a row, at %d of 1, waits %i ms, so that retries are spread', (failures, random, ms) => {
    expect(retryAfterMs(failures, random)).toBe(ms);
  });

  it.each([
    ['5', 0.5, 5500],
    ['0', 0, 0],
    ['86400', 0, 60_000],
    ['Fri, 31 Dec 2027 23:59:59 GMT', 0, null],
    ['-1', 0, null],
    [undefined, 0, null],
  ])('respects Retry-After: %s, up to a minute', (header, random, ms) => {
    expect(askedPauseMs(header, random)).toBe(ms);
  });
});

describe('a response', () => {
  it.each([
    [200, null, 'done'],
    [401, 'unauthenticated', 'refused'],
    [403, 'probe_disabled', 'refused'],
    [409, 'session_replaced', 'replaced'],
    [409, 'protocol_unsupported', 'unsupported'],
    [409, 'conflict', 'failed'],
    [429, 'rate_limited', 'busy'],
    [503, null, 'busy'],
    [400, 'validation_failed', 'unreadable'],
    [413, null, 'unreadable'],
    [302, null, 'failed'],
    [407, null, 'failed'],
    [502, null, 'failed'],
  ])('%i with the code %s is %s', (status, code, meaning) => {
    expect(meaningOf(status, code)).toBe(meaning);
  });
});
