import { createHistogram } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BEAT_MS, type Beat, EventLoopLag, lagOf } from './event-loop-lag';
import { Metrics } from './metrics';

/** Stalls longer than an hour are recorded as an hour. */
const MOST_US = 3_600_000_000;
const SECOND_US = 1_000_000;
/** The sample for a beat that is on time. */
const IN_TIME_US = BEAT_MS * 1000;

/** Returns microseconds, as for two samples taken 50 ms apart, regardless of the beat's intended length. */
export const sampleOf = (beat: Beat): number =>
  Math.min(MOST_US, Math.max(IN_TIME_US, Math.round(IN_TIME_US + lagOf(beat) * 1000)));

/**
 * Provides the `nodejs_eventloop_lag_*` metrics, whose names Prometheus users know, based on the beats from
 * `EventLoopLag`. Node's own sampler would wake the process twenty times per second just for this. As with Node's
 * sampler, each scrape resets the samples.
 */
@Injectable()
export class EventLoopMetrics {
  private readonly samples = createHistogram({ lowest: 1, highest: MOST_US, figures: 3 });

  constructor(metrics: Metrics, lag: EventLoopLag) {
    lag.onBeat((beat) => this.samples.record(sampleOf(beat)));
    const { samples } = this;
    const figures: [string, string, () => number][] = [
      ['min', 'The minimum recorded event loop delay.', () => samples.min],
      ['max', 'The maximum recorded event loop delay.', () => samples.max],
      ['mean', 'The mean of the recorded event loop delays.', () => samples.mean],
      ['stddev', 'The standard deviation of the recorded event loop delays.', () => samples.stddev],
      ['p50', 'The 50th percentile of the recorded event loop delays.', () => samples.percentile(50)],
      ['p90', 'The 90th percentile of the recorded event loop delays.', () => samples.percentile(90)],
      ['p99', 'The 99th percentile of the recorded event loop delays.', () => samples.percentile(99)],
    ];
    metrics.gauge({
      name: 'nodejs_eventloop_lag_seconds',
      help: 'Lag of event loop in seconds.',
      // The first gauge that is read updates all of them.
      async collect() {
        // If two scrapes are less than a second apart, there may be no beat in between. In that case, the gauges keep
        // their values.
        if (samples.count > 0) for (const { gauge, read } of gauges) gauge.set(read() / SECOND_US);
        samples.reset();
        const began = performance.now();
        await nextTurn();
        this.set((performance.now() - began) / 1000);
      },
    });
    const gauges = figures.map(([figure, help, read]) => ({
      gauge: metrics.gauge({ name: `nodejs_eventloop_lag_${figure}_seconds`, help }),
      read,
    }));
  }
}
