import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { Problem } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { EngineMetrics } from '../engine.metrics';
import { CheckPlaces } from './check-places';

/** A check that finishes when the test or its signal ends it. */
class LongCheck {
  signal: AbortSignal | null = null;
  private readonly ended = new AbortController();

  readonly run = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      this.signal = signal;
      signal.addEventListener('abort', () => resolve('ended early'));
      if (this.ended.signal.aborted) resolve('checked');
      this.ended.signal.addEventListener('abort', () => resolve('checked'));
    });

  /** May be called before the check has started. */
  end(): void {
    this.ended.abort();
  }
}

describe('the places for checks', () => {
  let places: CheckPlaces;
  const stays = new AbortController().signal;
  const codeOf = (work: Promise<string>) =>
    work.catch((error: unknown) => (error instanceof Problem ? error.code : String(error)));
  const newPlaces = (maxConcurrentChecks: number) =>
    new CheckPlaces(
      Object.assign(new Config(), { maxConcurrentChecks }),
      new Clock(),
      new EngineMetrics(new Metrics()),
    );

  beforeEach(() => {
    places = newPlaces(4);
  });

  it('hold an on-demand check until the scheduled check of its endpoint ends, then give it the place immediately', async () => {
    const check = new LongCheck();
    const seen: boolean[] = [];
    places.onFree(() => seen.push(places.isChecking('e')));
    places.begin('org', 'e');
    const asked = places.runOnDemand('org', 'e', stays, check.run);
    expect(check.signal).toBeNull();
    places.end('org', 'e');
    await Promise.resolve();
    check.end();
    expect(await asked).toBe('checked');
    // To callers that wait for a place, the endpoint appears as being checked until the second check has finished.
    expect(seen).toEqual([true, false]);
  });

  it('hold nothing for a client that left while it waited', async () => {
    const client = new AbortController();
    const check = new LongCheck();
    places.begin('org', 'e');
    const asked = codeOf(places.runOnDemand('org', 'e', client.signal, check.run));
    client.abort();
    places.end('org', 'e');
    expect(await asked).toBe('temporarily_unavailable');
    expect([check.signal, places.isChecking('e')]).toEqual([null, false]);
    const again = new LongCheck();
    const next = places.runOnDemand('org', 'e', stays, again.run);
    again.end();
    expect(await next).toBe('checked');
  });

  it('end a check when its client leaves, and free its place', async () => {
    const client = new AbortController();
    const check = new LongCheck();
    const asked = places.runOnDemand('org', 'e', client.signal, check.run);
    expect(await codeOf(places.runOnDemand('org', 'e', stays, check.run))).toBe('conflict');
    client.abort();
    expect(await asked).toBe('ended early');
    expect([places.isChecking('e'), places.hasCapacityFor('org')]).toEqual([false, true]);
  });

  it('refuse an on-demand check beyond the share of its organization, and accept one of another organization', async () => {
    const check = new LongCheck();
    for (const endpoint of ['a', 'b']) places.begin('org', endpoint);
    expect(await codeOf(places.runOnDemand('org', 'c', stays, check.run))).toBe('temporarily_unavailable');
    const other = places.runOnDemand('other', 'd', stays, check.run);
    check.end();
    expect(await other).toBe('checked');
  });

  it('also end on-demand checks when the drain time is over', async () => {
    const check = new LongCheck();
    const asked = places.runOnDemand('org', 'e', stays, check.run);
    await places.drain(0);
    expect([await asked, places.shutdown.aborted]).toEqual(['ended early', true]);
  });
});
