import { Injectable } from '@nestjs/common';
import type { Outcome } from '../checker/checker';
import { Metrics } from '../platform/observability/metrics';

/** A counter that can be read. */
class Total {
  total = 0;

  constructor(private readonly counter: { inc: (count: number) => void }) {}

  inc(count = 1): void {
    this.total += count;
    this.counter.inc(count);
  }
}

/** How the monitoring itself is doing: checks, their lateness, and the batches that record them. */
@Injectable()
export class MonitoringMetrics {
  private readonly checks;
  private readonly batchSize;
  private readonly batchSeconds;
  private readonly dropped;
  readonly lateness;
  readonly resultsLost;
  readonly resultsParked;
  readonly skipped;
  readonly reruns;
  readonly bugs;

  constructor(private readonly metrics: Metrics) {
    this.checks = metrics.counter({
      name: 'uptime_checks_total',
      help: 'Finished checks by outcome.',
      labelNames: ['outcome'],
    });
    this.lateness = metrics.histogram({
      name: 'uptime_check_lateness_seconds',
      help: 'How late after its slot a check began.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
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
      help: 'Results of endpoints that were gone, paused, changed or recorded before.',
    });
    this.resultsLost = new Total(
      metrics.counter({
        name: 'uptime_results_lost_total',
        help: 'Results that were given up because they could not be written soon enough.',
      }),
    );
    this.resultsParked = metrics.counter({
      name: 'uptime_results_parked_total',
      help: 'Results that were given up alone because the database refuses them.',
    });
    this.skipped = metrics.counter({
      name: 'uptime_slots_skipped_total',
      help: 'Slots skipped before their check began: overload, or the endpoint’s previous check was running.',
      labelNames: ['why'],
    });
    for (const why of ['overload', 'running']) this.skipped.inc({ why }, 0);
    this.reruns = metrics.counter({
      name: 'uptime_checks_rerun_total',
      help: 'Failures repeated before they were recorded.',
      labelNames: ['why'],
    });
    this.bugs = metrics.counter({
      name: 'uptime_checker_bugs_total',
      help: 'Checks whose checker threw, did not end or returned no result.',
    });
  }

  /** A gauge whose value is read at each scrape. */
  watch(gauge: { name: string; help: string }, read: () => number): void {
    this.metrics.watch(gauge, read);
  }

  finished(outcome: Outcome): void {
    this.checks.inc({ outcome });
  }

  batch(size: number, recorded: number, durationMs: number): void {
    this.batchSize.observe(size);
    this.batchSeconds.observe(durationMs / 1000);
    if (recorded < size) this.dropped.inc(size - recorded);
  }
}
