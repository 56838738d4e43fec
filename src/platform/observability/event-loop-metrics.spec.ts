import { Clock } from '../time/clock';
import { type Beat, EventLoopLag } from './event-loop-lag';
import { EventLoopMetrics, sampleOf } from './event-loop-metrics';
import { Metrics } from './metrics';

const beat = (tookMs: number, intendedMs: number): Beat => ({
  from: 1000,
  to: 1000 + tookMs,
  intendedMs,
  wallShiftMs: 0,
});

describe('sampleOf', () => {
  it.each([
    ['a close beat in time counts 50 ms', beat(50, 50), 50_000],
    ['a close beat that is late counts all its time', beat(300, 50), 300_000],
    ['a beat at rest counts as much as a close one', beat(1000, 1000), 50_000],
    ['a beat at rest that is late counts by how much', beat(1250, 1000), 300_000],
    ['a beat that was cut short was in time', beat(10, 1000), 50_000],
    ['a suspended machine counts an hour at most', beat(1e9, 1000), 3_600_000_000],
  ])('%s', (_, given, expected) => {
    expect(sampleOf(given)).toBe(expected);
  });
});

describe('EventLoopMetrics', () => {
  it('returns the values of the beats since the last scrape, under the names that Node exporters use', async () => {
    const metrics = new Metrics();
    const lag = new EventLoopLag(new Clock());
    void new EventLoopMetrics(metrics, lag);
    lag.onModuleInit();
    for (const end = performance.now() + 400; performance.now() < end;);
    lag.reportBeyond(300);
    const text = await metrics.expose();
    lag.onModuleDestroy();
    expect(text.match(/^nodejs_eventloop_lag_\w*seconds /gm)).toHaveLength(8);
    for (const figure of ['min', 'mean', 'p50', 'p99', 'max'])
      expect(Number(new RegExp(`^nodejs_eventloop_lag_${figure}_seconds (.+)$`, 'm').exec(text)?.[1])).toBeGreaterThan(
        0.39,
      );
  });
});
