import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';

/** Whether the rollups keep up. */
@Injectable()
export class HistoryMetrics {
  readonly rolledUpUntil;
  readonly rollupFailures;

  constructor(metrics: Metrics) {
    this.rolledUpUntil = metrics.gauge({
      name: 'uptime_history_rolled_up_until_timestamp_seconds',
      help: 'Until when hourly figures are built; more than two hours behind the time means that rollups do not run.',
    });
    this.rollupFailures = metrics.counter({
      name: 'uptime_history_rollup_failures_total',
      help: 'Rollup runs that failed and were repeated a minute later.',
    });
  }
}
