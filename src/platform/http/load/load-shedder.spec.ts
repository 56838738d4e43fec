import { overloadedBy } from './load-shedder';

const CALM = [0, 1, 2, 0, 3];
const LATE = [400, 300, 900, 251, 600];

describe('overloadedBy', () => {
  it.each([
    ['is served when no other request is open', 0, CALM, null],
    ['is served up to the limit', 99, CALM, null],
    ['is refused at the limit', 100, CALM, 'requests'],
    ['is served after one long stall', 0, [0, 0, 0, 0, 5000], null],
    ['is served when the event loop was in time once', 0, [400, 300, 10, 300, 400], null],
    ['is refused while the event loop is late again and again', 0, LATE, 'event_loop'],
    ['is served before there are enough samples', 0, LATE.slice(0, 4), null],
  ])('another API request %s', (_, inFlight, lateness, expected) => {
    expect(overloadedBy({ inFlight, lateness }, 100)).toBe(expected);
  });
});
