import { Injectable } from '@nestjs/common';
import type { Outcome } from '../checker/checker';
import { Metrics } from '../platform/observability/metrics';

/** Check metrics: outcomes, start delays, and skipped or repeated checks. */
@Injectable()
export class EngineMetrics {
  private readonly checks;
  readonly lateness;
  readonly skipped;
  readonly reruns;
  readonly bugs;

  constructor(private readonly metrics: Metrics) {
    this.checks = metrics.labelledCounter({
      name: 'uptime_checks_total',
      help: 'Finished checks by outcome.',
      values: { outcome: ['up', 'down', 'unknown'] },
    });
    this.lateness = metrics.histogram({
      name: 'uptime_check_lateness_seconds',
      help: 'How late after its slot a check started.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    this.skipped = metrics.labelledCounter({
      name: 'uptime_slots_skipped_total',
      help: 'Slots skipped before their check: overload, the previous check of the endpoint was still running, or the database was unavailable.',
      values: { why: ['overload', 'running', 'database'] },
    });
    this.reruns = metrics.labelledCounter({
      name: 'uptime_checks_rerun_total',
      help: 'Failures that were checked again before they were recorded.',
      values: { why: ['confirmation', 'stall'] },
    });
    this.bugs = metrics.counter({
      name: 'uptime_checker_bugs_total',
      help: 'Checks whose checker threw, did not end, or returned no result.',
    });
  }

  /** Registers a gauge whose value is read at each scrape. */
  watch(gauge: { name: string; help: string }, read: () => number): void {
    this.metrics.watch(gauge, read);
  }

  finished(outcome: Outcome): void {
    this.checks.inc({ outcome });
  }
}
