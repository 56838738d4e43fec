import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { Metrics } from '../platform/observability/metrics';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';

/** Metrics that show whether the rollups keep up. */
@Injectable()
export class HistoryMetrics {
  readonly rolledUpUntil;
  readonly rollupFailures;

  constructor(metrics: Metrics, { role }: Config, clock: Clock) {
    this.rolledUpUntil = metrics.gauge({
      name: 'uptime_history_rolled_up_until_timestamp_seconds',
      help: 'The time up to which hourly stats are built, in seconds since the epoch. If it is more than two hours in the past, rollups are not running. Before the first run, the start time of the process.',
    });
    if (role !== 'api') this.rolledUpUntil.set(clock.now().getTime() / SECOND_MS);
    this.rollupFailures = metrics.counter({
      name: 'uptime_history_rollup_failures_total',
      help: 'Rollup runs that failed and were repeated a minute later.',
    });
  }
}
