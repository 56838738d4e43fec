import { type DownSteps, peakText, stepText, stripPath, stripText } from '../../../web/src/logic/down-strip';

/** Returns steps of an hour from midnight by the local clock. */
const steps = (...down: number[]): DownSteps => ({
  from: new Date(2026, 10, 26).toISOString(),
  step_seconds: 3600,
  down,
});

describe('the strip of endpoints that were down', () => {
  it.each([
    ['nothing', steps(0, 0, 0), 'Nothing was down', 'Nothing was down in the last 24 hours.'],
    [
      'an outage that is over',
      steps(0, 1, 1, 0),
      'Peak: 1 down at 01:00',
      'Down in the last 24 hours: 01:00 to 03:00 1.',
    ],
    [
      'an outage that continues',
      steps(0, 0, 1200),
      'Peak: 1,200 down at 02:00',
      'Down in the last 24 hours: 02:00 to now up to 1,200.',
    ],
    [
      'the first of two equal peaks',
      steps(1, 3, 0, 3),
      'Peak: 3 down at 01:00',
      'Down in the last 24 hours: 00:00 to 02:00 up to 3, 03:00 to now up to 3.',
    ],
    [
      'more times than one can listen to',
      steps(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0),
      'Peak: 1 down at 00:00',
      'Down in the last 24 hours: 2 times earlier, 04:00 to 05:00 1, 06:00 to 07:00 1, 08:00 to 09:00 1, 10:00 to 11:00 1, 12:00 to 13:00 1.',
    ],
  ])('describes %s', (_case, of, peak, all) => {
    expect(peakText(of)).toBe(peak);
    expect(stripText(of)).toBe(all);
  });

  it('describes the point under the mouse', () => {
    expect(stepText(steps(0, 2), 1)).toBe('01:00: 2 down');
  });

  it.each([
    ['nothing at all', [0, 0], 9, ''],
    ['one of many a quarter high', [0, 1, 0], 9, 'M1 100V75h1V100z'],
    ['the only endpoint up to the top', [1], 1, 'M0 100V0h1V100z'],
    ['the maximum up to the top, and one of them still visible', [100, 1], 200, 'M0 100V0h1V88h1V100z'],
  ])('draws %s', (_case, down, endpoints, path) => {
    expect(stripPath(down, endpoints)).toBe(path);
  });
});
