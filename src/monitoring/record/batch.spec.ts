import type { FinishedCheck } from '../../engine/finished-check';
import { nextBatchSize, partsOf, unchangedUpRunOf, withinWork } from './batch';
import type { PendingCheck } from '../../engine/queue/pending-checks';

describe('withinWork', () => {
  const of = (orgId: string, endpointId: string): PendingCheck => ({
    check: { orgId, endpointId } as FinishedCheck,
    addedAt: 0,
    maxAgeMs: 0,
    affectsState: true,
  });
  const kept = (batch: PendingCheck[], alerts: Record<string, number>, most: number) =>
    withinWork(batch, new Map(Object.entries(alerts)), most).map(({ check }) => check.endpointId);
  const [x, y, z, mine, calm] = [of('b', 'x'), of('b', 'y'), of('b', 'z'), of('a', 'mine'), of('b', 'calm')];

  it('keeps everything that changes few alerts', () => {
    expect(kept([x, y, mine, calm], { x: 50, y: 50, mine: 3 }, 500)).toEqual(['x', 'y', 'mine', 'calm']);
  });

  it('leaves out the excess of one organization, and nothing of the others', () => {
    expect(kept([x, y, z, calm, mine], { x: 50, y: 50, z: 50, mine: 40 }, 100)).toEqual(['x', 'calm', 'mine']);
  });

  it('leaves out the later results of an endpoint whose result is left out', () => {
    expect(kept([x, y, y, x, mine], { x: 50, y: 60 }, 100)).toEqual(['x', 'x', 'mine']);
  });

  it('keeps one result of each organization, however many alerts it changes', () => {
    expect(kept([x, y, mine], { x: 20_000, y: 20_000, mine: 1 }, 100)).toEqual(['x', 'mine']);
  });
});

describe('nextBatchSize', () => {
  it.each([
    ['halves after a slow batch', 500, 1800, 10, 250],
    ['never goes below fifty', 60, 5000, 10, 50],
    ['stays after one that took its time', 100, 700, 10, 100],
    ['doubles after a quick one', 100, 50, 10, 200],
    ['never exceeds the maximum', 400, 50, 10, 500],
    ['stays large where every batch is slow, as with a database that is far away', 500, 1800, 1500, 500],
    ['grows again where every batch is slow', 50, 1800, 1500, 100],
  ])('%s', (_, size, durationMs, quickestMs, expected) => {
    expect(nextBatchSize(size, durationMs, quickestMs, 500)).toBe(expected);
  });
});

describe('the runs of a batch that change nothing', () => {
  const HOUR = Date.UTC(2026, 10, 23, 10);

  const result = (slot: number, change: Partial<FinishedCheck> = {}, affectsState = false): PendingCheck => ({
    check: {
      endpointId: 'a',
      location: 0,
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
    it('contains the time range of its results', () => {
      expect(unchangedUpRunOf([result(1), result(2), result(3)])).toMatchObject({
        endpointId: 'a',
        revision: 1,
        firstSlotMs: HOUR + 1000,
        lastSlotMs: HOUR + 3000,
        firstCheckedMs: HOUR + 1003,
        lastCheckedMs: HOUR + 3003,
        hourMs: HOUR,
        nearestMs: 1000,
      });
    });

    it('exists in maintenance as well, including where maintenance starts or ends', () => {
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
      ['was checked at two locations', [result(1), result(2, { location: 3 })]],
      ['has a slot twice', [result(1), result(1, { checkedAt: new Date(HOUR + 5000) })]],
      ['has an earlier slot after a later one', [result(2), result(1)]],
      ['has two checks that started at one moment', [result(1), result(2, { checkedAt: new Date(HOUR + 1003) })]],
      ['crosses an hour', [result(3599), result(3600)]],
      ['was checked with two revisions', [result(1), result(2, { revision: 2 })]],
      ['is longer than what a row remembers', Array.from({ length: 30 }, (_, slot) => result(slot))],
    ])('does not exist if it %s', (_, results) => {
      expect(unchangedUpRunOf(results)).toBeNull();
    });

    it.each([
      ['alone', 3, 0, [3, 0]],
      ['among some others, when there are many', 30, 2, [30, 2]],
      ['not among others, when there are few: they are written as these are', 24, 1, [0, 25]],
    ])('is written by a separate statement %s', (_, quiet, changing, expected) => {
      const endpoints = [
        ...Array.from({ length: quiet }, () => [result(1)]),
        ...Array.from({ length: changing }, () => [result(1, {}, true)]),
      ];
      const { unchangedUp, others } = partsOf(endpoints, () => false);
      expect([unchangedUp.length, others.length]).toEqual(expected);
    });

    it.each([
      ['was checked by a probe', { location: 3 }, false, [0, 1]],
      ['is known to have locations', {}, true, [0, 1]],
      ['has none as far as is known', {}, false, [1, 0]],
    ])('is counted with its locations when its endpoint %s', (_, change, isLocated, expected) => {
      const { unchangedUp, unchangedLocated, others } = partsOf([[result(1, change)]], () => isLocated);
      expect([unchangedUp.length, unchangedLocated.length]).toEqual(expected);
      expect(others).toEqual([]);
    });
  });
});
