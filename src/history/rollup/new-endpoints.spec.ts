import { nextLook } from './new-endpoints';

describe('nextLook', () => {
  it.each([
    ['waits for the first eight checks', { up: 0, summarized: 0, intervalSeconds: 60 }, false, 480],
    ['waits for those that are missing', { up: 6, summarized: 0, intervalSeconds: 60 }, false, 120],
    ['is due with eight checks, then with twice as many', { up: 8, summarized: 0, intervalSeconds: 60 }, true, 480],
    ['is not due before the checks have doubled', { up: 15, summarized: 8, intervalSeconds: 60 }, false, 60],
    ['is due when the checks have doubled', { up: 16, summarized: 8, intervalSeconds: 60 }, true, 960],
    ['looks at most once a minute', { up: 8, summarized: 0, intervalSeconds: 1 }, true, 60],
    ['looks at least once an hour', { up: 0, summarized: 0, intervalSeconds: 86_400 }, false, 3600],
  ])('%s', (_, endpoint, due, waitSeconds) => {
    expect(nextLook(endpoint)).toEqual({ due, waitSeconds });
  });
});
