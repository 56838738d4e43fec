import type { FinishedCheck } from '../../endpoint/finished-check';
import { nextBatchSize, withinWork } from './fair-batch';
import type { PendingCheck } from './pending-check';

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

  it('leaves out what one organization has too much, and nothing of the others', () => {
    expect(kept([x, y, z, calm, mine], { x: 50, y: 50, z: 50, mine: 40 }, 100)).toEqual(['x', 'calm', 'mine']);
  });

  it('leaves out the later results of an endpoint whose result is left out', () => {
    expect(kept([x, y, y, x, mine], { x: 50, y: 60 }, 100)).toEqual(['x', 'x', 'mine']);
  });

  it('keeps one result of each organization however many alerts it changes', () => {
    expect(kept([x, y, mine], { x: 20_000, y: 20_000, mine: 1 }, 100)).toEqual(['x', 'mine']);
  });
});

describe('nextBatchSize', () => {
  it.each([
    ['halves after a slow batch', 500, 1800, 10, 250],
    ['never goes below fifty', 60, 5000, 10, 50],
    ['stays after one that took its time', 100, 700, 10, 100],
    ['doubles after a quick one', 100, 50, 10, 200],
    ['never exceeds the most', 400, 50, 10, 500],
    ['stays large where every batch is slow, as with a database that is far away', 500, 1800, 1500, 500],
    ['grows again where every batch is slow', 50, 1800, 1500, 100],
  ])('%s', (_, size, durationMs, quickestMs, expected) => {
    expect(nextBatchSize(size, durationMs, quickestMs, 500)).toBe(expected);
  });
});
