import type { FinishedCheck } from '../../endpoint/finished-check';
import type { PendingCheck } from './pending-check';
import { unchangedUpRunOf, unchangedUpRunsOf } from './unchanged-up-run';

const HOUR = Date.UTC(2026, 10, 23, 10);

const result = (slot: number, change: Partial<FinishedCheck> = {}, affectsState = false): PendingCheck => ({
  check: {
    endpointId: 'a',
    revision: 1,
    slotMs: HOUR + slot * 1000,
    checkedAt: new Date(HOUR + slot * 1000 + 3),
    result: { outcome: 'up' },
    ...change,
  } as FinishedCheck,
  addedAt: 0,
  maxAgeMs: 1000,
  affectsState,
});
const outcome = (of: 'down' | 'unknown') => ({ result: { outcome: of } }) as Partial<FinishedCheck>;

describe('a run of results that are up and change nothing', () => {
  it('says from when to when its results are', () => {
    expect(unchangedUpRunOf([result(1), result(2), result(3)])).toMatchObject({
      endpointId: 'a',
      revision: 1,
      firstSlotMs: HOUR + 1000,
      lastSlotMs: HOUR + 3000,
      firstCheckedMs: HOUR + 1003,
      lastCheckedMs: HOUR + 3003,
      hourMs: HOUR,
    });
  });

  it('is one in maintenance as well, where it begins or ends too', () => {
    expect(unchangedUpRunOf([result(1), result(2, { planned: true, muted: true }), result(3)])).not.toBeNull();
  });

  it.each([
    ['has no result', []],
    ['may change something', [result(1), result(2, {}, true)]],
    ['has a failure', [result(1), result(2, outcome('down'))]],
    [
      'has a degraded result',
      [result(1), result(2, { result: { outcome: 'up', warning: {} } } as Partial<FinishedCheck>)],
    ],
    ['has an unknown result', [result(1, outcome('unknown'))]],
    ['has a check on demand', [result(1, { slotMs: null })]],
    ['has a slot twice', [result(1), result(1, { checkedAt: new Date(HOUR + 5000) })]],
    ['has an earlier slot after a later one', [result(2), result(1)]],
    ['has two checks that began at one moment', [result(1), result(2, { checkedAt: new Date(HOUR + 1003) })]],
    ['crosses an hour', [result(3599), result(3600)]],
    ['was checked with two revisions', [result(1), result(2, { revision: 2 })]],
    ['is longer than what a row remembers', Array.from({ length: 30 }, (_, slot) => result(slot))],
  ])('is none when it %s', (_, results) => {
    expect(unchangedUpRunOf(results)).toBeNull();
  });

  it.each([
    ['alone', 3, 0, [3, 0]],
    ['among some others, when there are many', 30, 2, [30, 2]],
    ['not among others, when there are few: they are written as these are', 24, 1, [0, 25]],
  ])('is written by a statement of its own %s', (_, quiet, changing, expected) => {
    const endpoints = [
      ...Array.from({ length: quiet }, () => [result(1)]),
      ...Array.from({ length: changing }, () => [result(1, {}, true)]),
    ];
    const { unchangedUp, others } = unchangedUpRunsOf(endpoints);
    expect([unchangedUp.length, others.length]).toEqual(expected);
  });
});
