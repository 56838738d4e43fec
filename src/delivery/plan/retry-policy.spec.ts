import fc from 'fast-check';
import type { ChannelAudience, SendOutcome } from '../../channel/channel';
import { HOUR_MS as HOUR } from '../../platform/time/time-units';
import {
  type FinishedAttempt,
  circuitAfter,
  isOpen,
  maxAgeMs,
  retryDelayMs,
  spread,
  updateAfter,
} from './retry-policy';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);
const MIDDLE = 0.5;

const retry = (more: Partial<Extract<SendOutcome, { result: 'retry' }>> = {}): SendOutcome => ({
  result: 'retry',
  status: 500,
  error: 'Slack answered 500',
  retryAfterMs: null,
  mayHaveArrived: false,
  ...more,
});
const rejected: SendOutcome = { result: 'rejected', status: 404, error: 'Slack answered 404', gone: false };
const gone: SendOutcome = { ...rejected, status: 410, gone: true };
const delivered: SendOutcome = { result: 'delivered', status: 200 };

const attempt = (outcome: SendOutcome, more: Partial<FinishedAttempt> = {}): FinishedAttempt => ({
  outcome,
  audience: 'chat',
  attempts: 1,
  rejections: 0,
  mayHaveArrived: false,
  createdAt: NOW,
  now: NOW,
  random: MIDDLE,
  ...more,
});

describe('retryDelayMs and maxAgeMs', () => {
  it('retries after 5 s, 15 s, 30 s, 1, 2, 5, 10, 15 and 30 min, then every hour', () => {
    const seconds = Array.from({ length: 12 }, (_, i) => retryDelayMs(i + 1, MIDDLE) / 1000);
    expect(seconds).toEqual([5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 3600, 3600]);
  });

  it('spreads every retry delay by up to a fifth either way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e7 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (ms, random) => {
          expect(spread(ms, random)).toBeGreaterThanOrEqual(Math.floor(ms * 0.8));
          expect(spread(ms, random)).toBeLessThanOrEqual(Math.ceil(ms * 1.2));
        },
      ),
    );
  });

  it.each<[ChannelAudience, number]>([
    ['webhook', 72],
    ['pager', 24],
    ['chat', 24],
    ['mail', 24],
    ['sms', 24],
  ])('gives up a %s delivery after %i hours', (audience, hours) => {
    expect(maxAgeMs(audience)).toBe(hours * HOUR);
    const late = { audience, attempts: 30 };
    expect(updateAfter(attempt(retry(), { ...late, createdAt: after(-(hours - 1) * HOUR + 1) }))).toMatchObject({
      state: 'pending',
    });
    expect(updateAfter(attempt(retry(), { ...late, createdAt: after(-(hours - 1) * HOUR - 1) }))).toMatchObject({
      state: 'failed',
      detail: 'expired',
    });
  });
});

describe('updateAfter', () => {
  it('ends a delivery that the provider accepted', () => {
    expect(updateAfter(attempt(delivered))).toEqual({ state: 'delivered' });
  });

  it.each<[string, Partial<FinishedAttempt>, Partial<Extract<SendOutcome, { result: 'retry' }>>, number]>([
    ['a first failure', {}, {}, 5000],
    ['a sixth failure', { attempts: 6 }, {}, 300_000],
    ['a Retry-After below the step', { attempts: 6 }, { retryAfterMs: 7000 }, 300_000],
    ['a Retry-After above the step', {}, { retryAfterMs: 90_000 }, 90_000],
    ['a Retry-After of ten days', {}, { retryAfterMs: 240 * HOUR }, HOUR],
    ['an unknown outcome of a chat', {}, { mayHaveArrived: true, status: null }, 60_000],
    ['an unknown outcome of an SMS', { audience: 'sms' }, { mayHaveArrived: true, status: null }, 60_000],
    ['an unknown outcome of a pager', { audience: 'pager' }, { mayHaveArrived: true, status: null }, 5000],
    ['an unknown outcome of a webhook', { audience: 'webhook' }, { mayHaveArrived: true, status: null }, 5000],
    ['an unknown outcome of an email', { audience: 'mail' }, { mayHaveArrived: true, status: null }, 5000],
    ['a late unknown outcome', { attempts: 7 }, { mayHaveArrived: true, status: null }, 600_000],
  ])('retries at the scheduled time after %s', (_, more, outcome, delayMs) => {
    expect(updateAfter(attempt(retry(outcome), more))).toMatchObject({
      state: 'pending',
      nextAttemptAt: after(delayMs),
    });
  });

  it('never forgets that an attempt may have arrived', () => {
    expect(updateAfter(attempt(retry({ mayHaveArrived: true })))).toMatchObject({ mayHaveArrived: true });
    expect(updateAfter(attempt(retry(), { mayHaveArrived: true }))).toMatchObject({ mayHaveArrived: true });
    expect(updateAfter(attempt(rejected, { mayHaveArrived: true }))).toMatchObject({ mayHaveArrived: true });
  });

  it('makes three attempts within five minutes at a provider that rejects, then parks the delivery', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        let at = NOW;
        for (let rejections = 0; rejections < 2; rejections++) {
          const update = updateAfter(attempt(rejected, { rejections, attempts: rejections + 1, now: at, random }));
          if (update.state !== 'pending') throw new Error(`parked after ${rejections + 1}`);
          expect(update.rejections).toBe(rejections + 1);
          at = update.nextAttemptAt;
        }
        expect(updateAfter(attempt(rejected, { rejections: 2, attempts: 3, now: at, random }))).toMatchObject({
          state: 'failed',
          detail: 'rejected',
        });
        expect(at.getTime() - NOW.getTime()).toBeLessThan(5 * 60_000);
      }),
    );
  });

  it('parks a delivery immediately if its destination no longer exists', () => {
    expect(updateAfter(attempt(gone))).toMatchObject({ state: 'failed', detail: 'rejected' });
  });
});

describe('circuitAfter', () => {
  const closed = { failures: 0, blockedUntil: null };

  it('opens the circuit at the tenth straight failure and then admits one probe per step', () => {
    let circuit = closed as ReturnType<typeof circuitAfter>;
    for (let i = 0; i < 9; i++) circuit = circuitAfter(circuit, retry(), NOW, MIDDLE);
    expect(isOpen(circuit.failures)).toBe(false);
    expect(circuit.blockedUntil).toBeNull();
    const waits = [5, 15, 30, 60].map(() => {
      circuit = circuitAfter(circuit, retry(), NOW, MIDDLE);
      expect(isOpen(circuit.failures)).toBe(true);
      return ((circuit.blockedUntil?.getTime() ?? 0) - NOW.getTime()) / 1000;
    });
    expect(waits).toEqual([5, 15, 30, 60]);
  });

  it('closes the circuit at the first success', () => {
    expect(circuitAfter({ failures: 25, blockedUntil: after(HOUR) }, delivered, NOW, MIDDLE)).toEqual(closed);
  });

  it('blocks the whole destination for as long as its provider asks', () => {
    expect(circuitAfter(closed, retry({ status: 429, retryAfterMs: 30_000 }), NOW, MIDDLE)).toEqual({
      failures: 1,
      blockedUntil: after(30_000),
    });
    expect(circuitAfter(closed, rejected, NOW, MIDDLE)).toEqual({ failures: 1, blockedUntil: null });
  });
});
