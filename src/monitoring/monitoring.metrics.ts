import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';

/** A counter whose value can be read. */
class Total {
  total = 0;

  constructor(private readonly counter: { inc: (count: number) => void }) {}

  inc(count = 1): void {
    this.total += count;
    this.counter.inc(count);
  }
}

/** Metrics about recording checks: batches, and results that couldn't be recorded. */
@Injectable()
export class MonitoringMetrics {
  private readonly batchSize;
  private readonly batchSeconds;
  private readonly dropped;
  readonly resultsLost;
  readonly resultsParked;

  constructor(metrics: Metrics) {
    this.batchSize = metrics.histogram({
      name: 'uptime_record_batch_size',
      help: 'Results per transaction.',
      buckets: [1, 5, 20, 50, 100, 200, 500],
    });
    this.batchSeconds = metrics.histogram({
      name: 'uptime_record_batch_seconds',
      help: 'Duration of a recording transaction.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    });
    this.dropped = metrics.counter({
      name: 'uptime_results_dropped_total',
      help: 'Results that were discarded because the endpoint was deleted, paused or changed, or the result had already been recorded.',
    });
    this.resultsLost = new Total(
      metrics.counter({
        name: 'uptime_results_lost_total',
        help: 'Results that were given up because they could not be written in time.',
      }),
    );
    this.resultsParked = metrics.counter({
      name: 'uptime_results_parked_total',
      help: 'Results that were given up individually because the database rejected them.',
    });
  }

  batch(size: number, recorded: number, durationMs: number): void {
    this.batchSize.observe(size);
    this.batchSeconds.observe(durationMs / 1000);
    if (recorded < size) this.dropped.inc(size - recorded);
  }
}
