import { overloadedBy } from './load-shedder';

const CALM = [0, 1, 2, 0, 3];
const LATE = [400, 300, 900, 251, 600];

describe('a further API request', () => {
  it.each([
    ['is served when nothing else goes on', 0, CALM, null],
    ['is served up to the limit', 99, CALM, null],
    ['is refused at the limit', 100, CALM, 'requests'],
    ['is served after one long stall', 0, [0, 0, 0, 0, 5000], null],
    ['is served when the loop was in time once', 0, [400, 300, 10, 300, 400], null],
    ['is refused while the loop keeps coming late', 0, LATE, 'event_loop'],
    ['is served before enough is known', 0, LATE.slice(0, 4), null],
  ])('%s', (_, inFlight, lateness, expected) => {
    expect(overloadedBy({ inFlight, lateness }, 100)).toBe(expected);
  });
});
