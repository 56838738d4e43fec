import fc from 'fast-check';
import type { Occurrence } from '../../endpoint/suppression/cover';
import { plannedTime, secondsOf } from './planned-time';

const ENDPOINT = { id: 'e1', orgId: 'o1', websiteId: 'w1', tags: ['shop'] };
const NOBODY = { coversAll: false, websiteIds: [], endpointIds: [], tags: [] };

const occurrence = (from: number, to: number, change: Partial<Occurrence> = {}): Occurrence => ({
  ...NOBODY,
  coversAll: true,
  orgId: 'o1',
  windowId: 'm1',
  name: 'Patch day',
  startsAt: new Date(from),
  endsAt: new Date(to),
  mute: true,
  excludeFromUptime: true,
  public: true,
  ...change,
});

const RANGE = { from: 1000, to: 9000 };
const parts = (...occurrences: Occurrence[]): number[][] =>
  plannedTime(occurrences, ENDPOINT, RANGE).map(({ from, to }) => [from, to]);

describe('plannedTime', () => {
  it.each<[string, Occurrence[], number[][]]>([
    ['is nothing without a window', [], []],
    ['is the time of a window inside the range', [occurrence(2000, 3000)], [[2000, 3000]]],
    [
      'is the part of a window that lies in the range',
      [occurrence(0, 2000), occurrence(8000, 10_000)],
      [
        [1000, 2000],
        [8000, 9000],
      ],
    ],
    ['is all of the range inside a longer window', [occurrence(0, 20_000)], [[1000, 9000]]],
    ['counts what two windows cover once', [occurrence(2000, 5000), occurrence(3000, 6000)], [[2000, 6000]]],
    ['counts a window inside another one once', [occurrence(2000, 6000), occurrence(3000, 4000)], [[2000, 6000]]],
    [
      'is one part where a window starts as another one ends',
      [occurrence(4000, 5000), occurrence(2000, 4000)],
      [[2000, 5000]],
    ],
    ['leaves out a window that ended as the range starts', [occurrence(0, 1000)], []],
    ['leaves out a window that starts as the range ends', [occurrence(9000, 9500)], []],
    ['leaves out a window that ended as it started', [occurrence(2000, 2000)], []],
    ['leaves out a window that only mutes', [occurrence(2000, 3000, { excludeFromUptime: false })], []],
    ['leaves out a window over other endpoints', [occurrence(2000, 3000, { ...NOBODY, endpointIds: ['e2'] })], []],
    ['leaves out a window of another organization', [occurrence(2000, 3000, { orgId: 'o2' })], []],
    [
      'includes a window over the endpoint',
      [occurrence(2000, 3000, { ...NOBODY, endpointIds: ['e1'] })],
      [[2000, 3000]],
    ],
    ['includes a window over its website', [occurrence(2000, 3000, { ...NOBODY, websiteIds: ['w1'] })], [[2000, 3000]]],
    ['includes a window over one of its tags', [occurrence(2000, 3000, { ...NOBODY, tags: ['shop'] })], [[2000, 3000]]],
  ])('%s', (_, occurrences, expected) => {
    expect(parts(...occurrences)).toEqual(expected);
  });

  it('contains each moment of the range exactly if a window does, in parts that neither touch nor overlap', () => {
    const windows = fc.array(fc.tuple(fc.nat(12), fc.nat(6)), { maxLength: 8 });
    fc.assert(
      fc.property(windows, (drawn) => {
        const occurrences = drawn.map(([from, length]) => occurrence(from, from + length));
        const planned = plannedTime(occurrences, ENDPOINT, { from: 3, to: 12 });
        const moments = Array.from({ length: 20 }, (_, at) => at);
        const covered = moments.filter((at) => at >= 3 && at < 12 && drawn.some(([f, l]) => at >= f && at < f + l));
        expect(moments.filter((at) => planned.some(({ from, to }) => at >= from && at < to))).toEqual(covered);
        planned.slice(1).forEach(({ from }, index) => expect(from).toBeGreaterThan(planned[index]?.to ?? NaN));
      }),
    );
  });

  it('adds up to whole seconds', () => {
    expect(
      secondsOf([
        { from: 0, to: 1400 },
        { from: 2000, to: 2200 },
      ]),
    ).toBe(2);
    expect(secondsOf([])).toBe(0);
  });
});
