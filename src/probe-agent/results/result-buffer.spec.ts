import type { FinishedCheck } from '../../engine/finished-check';
import { resultOf, down } from '../../checker/check-failure';
import type { Outcome } from '../../checker/checker';
import { Clock } from '../../platform/time/clock';
import type { Assignments } from '../slots/assignments';
import { ResultBuffer } from './result-buffer';

class SetClock extends Clock {
  ms = 1_000_000;

  override monotonic(): number {
    return this.ms;
  }
}

const KEPT = { ms: 15 * 60_000, results: 2000, bytes: 8 * 1024 * 1024 };

/** A buffer with a lower limit. */
class SmallBuffer extends ResultBuffer {
  protected override readonly kept = KEPT;
}

/** No endpoint is assigned, because other tests cover streaks. */
const NO_ASSIGNMENTS = { get: () => undefined } as unknown as Assignments;

describe('ResultBuffer', () => {
  let clock: SetClock;
  let buffer: ResultBuffer;
  beforeEach(() => {
    clock = new SetClock();
    buffer = new SmallBuffer(NO_ASSIGNMENTS, clock);
  });

  const check = (endpoint: number, slotMs: number, outcome: Outcome = 'up', text = ''): FinishedCheck => ({
    endpointId: `ep_${endpoint}`,
    endpointKey: String(endpoint),
    orgId: 'org_1',
    location: 0,
    revision: 1,
    slotMs,
    checkedAt: new Date(slotMs),
    result: {
      ...resultOf(down('connection_refused', 'connect', 'It is refused.')),
      records: text === '' ? null : [text],
      outcome,
      ...(outcome === 'up' ? { error: null } : {}),
    },
    attempts: 1,
    firstError: null,
    planned: false,
    muted: false,
  });
  const settleAll = (): void => {
    for (let batch = buffer.take(); batch.entries.length > 0; batch = buffer.take()) buffer.settle(batch);
  };
  /** Adds enough results that the endpoints count as having been up for a long time. */
  const upForLong = (...endpoints: number[]): void => {
    for (const endpoint of endpoints) for (let i = 0; i < 101; i++) buffer.add(check(endpoint, i));
    settleAll();
  };
  const slots = (): (number | null)[] => buffer.take().results.map(({ slot }) => slot);
  const dueInMs = (): number => buffer.dueAt - clock.ms;

  it('sends a first result, a failure, and the successes after it within 200 ms, others every 5 s', () => {
    upForLong(1);
    buffer.add(check(1, 1000));
    expect(dueInMs()).toBe(5000);
    clock.ms += 1000;
    expect(dueInMs()).toBe(4000);
    buffer.add(check(2, 1000));
    expect(dueInMs()).toBe(200);
    settleAll();
    expect(dueInMs()).toBe(Infinity);
    buffer.add(check(1, 2000, 'down'));
    expect(dueInMs()).toBe(200);
  });

  it('sends a result immediately if a client waits for it', () => {
    buffer.addAsked(check(1, 5), { requestId: 'a', isTryOut: false });
    expect(dueInMs()).toBe(0);
  });

  it('sends changes first, each with the earlier results of its endpoint', () => {
    upForLong(1, 2, 3);
    for (const endpoint of [1, 2, 3]) buffer.add(check(endpoint, 1000 + 10 * (endpoint - 1)));
    buffer.add(check(2, 2010, 'down'));
    expect(slots()).toEqual([1010, 2010, 1000, 1020]);
  });

  it('sends only changes while more results wait than a request may have', () => {
    upForLong(1, 2, 3);
    for (let i = 0; i < 600; i++) for (const endpoint of [1, 3]) buffer.add(check(endpoint, 1000 + i));
    buffer.add(check(2, 1010));
    buffer.add(check(2, 2010, 'down'));
    const batch = buffer.take();
    expect(batch.results.map(({ slot }) => slot)).toEqual([1010, 2010]);
    buffer.settle(batch);
    expect(buffer.take().entries).toHaveLength(1000);
  });

  describe('when results have been kept for long, however few', () => {
    beforeEach(() => {
      upForLong(1, 2, 3);
      for (const endpoint of [1, 2, 3]) buffer.add(check(endpoint, 1000 + endpoint));
      clock.ms += 60_000;
      buffer.add(check(2, 61_002, 'down'));
    });

    it('sends only changes, then the others', () => {
      const batch = buffer.take();
      expect(batch.results.map(({ slot }) => slot)).toEqual([1002, 61_002]);
      buffer.settle(batch);
      expect(slots()).toEqual([1001, 1003]);
    });

    it('sends only changes again if the service has not accepted them, or not the results after them', () => {
      buffer.putBack(buffer.take());
      const changes = buffer.take();
      expect(changes.entries).toHaveLength(2);
      buffer.settle(changes);
      const others = buffer.take();
      buffer.add(check(2, 121_002, 'down'));
      buffer.putBack(others);
      expect(slots()).toEqual([121_002]);
    });

    it('lets no result wait forever because of constant changes', () => {
      buffer.settle(buffer.take());
      buffer.add(check(2, 121_002, 'down'));
      expect(slots()).toEqual([121_002, 1001, 1003]);
    });

    it('lets results that the service refused wait as requested, and sends only changes in the meantime', () => {
      buffer.settle(buffer.take());
      buffer.putBack(buffer.take(), 4000);
      expect(dueInMs()).toBe(4000);
      buffer.add(check(2, 121_002, 'down'));
      expect(dueInMs()).toBe(-Infinity);
      const changes = buffer.take();
      expect(changes.results.map(({ slot }) => slot)).toEqual([121_002]);
      buffer.settle(changes);
      expect(dueInMs()).toBe(4000);
      clock.ms += 4000;
      expect(slots()).toEqual([1001, 1003]);
    });
  });

  it('resends results that were not accepted before later results', () => {
    buffer.add(check(1, 1000, 'down'));
    const batch = buffer.take();
    buffer.add(check(1, 2000, 'down'));
    expect(buffer.take().entries).toEqual([]);
    buffer.putBack(batch);
    expect(slots()).toEqual([1000, 2000]);
  });

  it('keeps a request below the limits of the service', () => {
    for (let i = 0; i < 400; i++) buffer.add(check(i, 1000, 'down', 'x'.repeat(3000)));
    const first = buffer.take();
    expect(JSON.stringify(first.results).length).toBeLessThan(512 * 1024);
    buffer.settle(first);
    const second = buffer.take();
    expect(first.entries.length).toBeGreaterThan(100);
    expect(second.entries.length).toBeGreaterThan(100);
    expect(buffer.backlog).toBe(400 - first.entries.length);
  });

  it('drops results older than 15 minutes, and counts them', () => {
    buffer.add(check(1, 1000, 'down'));
    clock.ms += KEPT.ms;
    buffer.add(check(1, 2000, 'down'));
    const batch = buffer.take();
    expect([batch.entries.length, buffer.lost]).toEqual([2, 0]);
    clock.ms += 1;
    buffer.putBack(batch);
    expect([buffer.lost, slots()]).toEqual([1, [2000]]);
  });

  it('drops the oldest results that change nothing first, if there are too many', () => {
    buffer.add(check(1, 5, 'down'));
    for (let i = 0; i < 150; i++) buffer.add(check(2, 1000 + i));
    settleAll();
    buffer.add(check(1, 6, 'down'));
    for (let i = 0; i < KEPT.results; i++) buffer.add(check(2, 2000 + i));
    expect(buffer.lost).toBe(126);
    expect(buffer.backlog).toBe(KEPT.results + 1 - 126);
    expect([...slots(), ...slots()].slice(0, 2)).toEqual([6, 2126]);
  });

  it('drops the oldest results if they are too large, and subtracts their size', () => {
    const large = 'x'.repeat(64 * 1024);
    for (let i = 0; i < 100; i++) buffer.add(check(i, 1000 + i, 'down', large));
    expect(buffer.bytes).toBeLessThanOrEqual(KEPT.bytes);
    expect(buffer.bytes).toBeGreaterThan(0.9 * KEPT.bytes);
    expect(buffer.lost).toBe(100 - buffer.backlog);
    settleAll();
    expect([buffer.bytes, buffer.backlog]).toEqual([0, 0]);
  });

  it('limits no checks while the service is away', () => {
    buffer.add(check(1, 1000, 'down'));
    clock.ms += 60_000;
    expect([buffer.lagMs, buffer.oldestMs]).toEqual([0, 60_000]);
  });
});
