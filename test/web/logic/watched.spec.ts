import { fewText, partText, restsOn } from '../../../web/src/logic/watched';

describe("the monitored share of an uptime's window", () => {
  it.each([
    [1, 1, null],
    [0.95, 1, null],
    [0.95, 0.9, 0.855],
    [0.03, null, 0.03],
    [null, 0.5, 0.5],
    [null, null, null],
    [undefined, undefined, null],
    [0, 1, 0],
  ])('is shown with %p watched and %p of the checks conclusive: %p', (watched, coverage, part) =>
    expect(restsOn(watched, coverage)).toBe(part),
  );
});

it.each([
  [0, 'less than 1%'],
  [0.0099, 'less than 1%'],
  [0.01, '1%'],
  [0.899, '89%'],
])('describes %p of a window as %s', (part, text) => expect(partText(part)).toBe(text));

it.each([
  [1, 'from 1 check'],
  [19, 'from 19 checks'],
  [20, null],
  [0, null],
  [undefined, null],
])('marks percentiles of %p checks: %p', (checks, text) => expect(fewText(checks)).toBe(text));
