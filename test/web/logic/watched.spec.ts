import { fewText, partText, restsOn, thinText } from '../../../web/src/logic/watched';

describe('the part of its window that an uptime rests on', () => {
  it.each([
    [1, 1, null],
    [0.95, 1, null],
    [0.95, 0.9, 0.855],
    [0.03, null, 0.03],
    [null, 0.5, 0.5],
    [null, null, null],
    [undefined, undefined, null],
    [0, 1, 0],
  ])('is said with %p watched and %p of the checks able to tell: %p', (watched, coverage, part) =>
    expect(restsOn(watched, coverage)).toBe(part),
  );
});

it.each([
  [0, 'less than 1%'],
  [0.0099, 'less than 1%'],
  [0.01, '1%'],
  [0.899, '89%'],
])('says %p of a window as %s', (part, text) => expect(partText(part)).toBe(text));

describe('what is said once below the uptimes of an endpoint', () => {
  const uptime = (window: string, watched: number, coverage: number) => ({ window, watched, coverage });

  it.each([
    ['nothing where they rest on their whole time', [uptime('24h', 1, 1), uptime('7d', 1, 0.95)], null],
    [
      'when it was made, where that is all',
      [uptime('24h', 1, 1), uptime('7d', 0.2, 1), uptime('30d', 0.01, 1)],
      'Uptimes in italics count from when the endpoint was made: Nov 24.',
    ],
    [
      'on how much each rests, where checks could not tell',
      [uptime('24h', 1, 0.5), uptime('7d', 0.2, 1)],
      'Uptimes in italics rest on a part of their time only: 50% of 24h, 20% of 7d. The rest was before the endpoint was made, or its checks could not tell.',
    ],
  ])('%s', (_, uptimes, text) => expect(thinText(uptimes, 'Nov 24')).toBe(text));

  it.each([
    [1, 'of 1 check'],
    [19, 'of 19 checks'],
    [20, null],
    [0, null],
    [undefined, null],
  ])('marks percentiles of %p checks: %p', (checks, text) => expect(fewText(checks)).toBe(text));
});
