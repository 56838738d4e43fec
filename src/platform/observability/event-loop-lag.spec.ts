import { setTimeout as delay } from 'node:timers/promises';
import { Clock } from '../time/clock';
import { type Beat, EventLoopLag, lagOf } from './event-loop-lag';

class MovableClock extends Clock {
  aheadMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.aheadMs);
  }
}

const blockFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('EventLoopLag', () => {
  let clock: MovableClock;
  let lag: EventLoopLag;
  let beats: Beat[];

  beforeEach(() => {
    clock = new MovableClock();
    lag = new EventLoopLag(clock);
    beats = [];
    lag.onBeat((beat) => beats.push(beat));
    lag.onModuleInit();
  });
  afterEach(() => lag.onModuleDestroy());

  it('notifies every listener of each beat, and leaves no gap between two beats', async () => {
    const others: Beat[] = [];
    lag.onBeat((beat) => others.push(beat));
    lag.enter();
    while (beats.length < 3) await delay(5);
    const [first, second, third] = beats;
    expect([second?.from, third?.from]).toEqual([first?.to, second?.to]);
    expect(others).toEqual(beats);
  });

  it('reports how long the event loop was blocked', async () => {
    blockFor(300);
    while (beats.length === 0) await delay(5);
    expect(Math.max(...beats.map(lagOf))).toBeGreaterThanOrEqual(249);
  });

  it('reports a long lag immediately on request, before its timer has run', () => {
    blockFor(300);
    lag.reportBeyond(200);
    expect(beats.map((beat) => lagOf(beat) > 200)).toEqual([true]);
  });

  it('reports nothing on request if there is no lag', () => {
    lag.reportBeyond(60_000);
    expect(beats).toEqual([]);
  });

  it('measures often as soon and as long as there is a listener, and rarely otherwise', async () => {
    while (beats.length < 2) await delay(5);
    await delay(0);
    expect(beats.map(({ intendedMs }) => intendedMs)).toEqual([50, 50]);
    lag.enter();
    blockFor(300);
    lag.reportBeyond(200);
    while (beats.length < 6) await delay(5);
    lag.leave();
    const [, , cut, blocked, ...close] = beats;
    expect([cut?.intendedMs, blocked?.from]).toEqual([5000, cut?.to]);
    expect(blocked && lagOf(blocked)).toBeGreaterThan(200);
    expect(close.every(({ intendedMs }) => intendedMs === 50)).toBe(true);
  });

  it('reports how far the wall clock was set', async () => {
    clock.aheadMs = -3_600_000;
    while (beats.length === 0) await delay(5);
    expect((beats[0]?.wallShiftMs ?? 0) / 1000).toBeCloseTo(-3600, 0);
  });
});
