import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { HeartbeatSweep } from './heartbeat-sweep.job';

/** The metrics of the sweep. Cost: no statement per scrape. */
@Injectable()
export class HeartbeatMetrics {
  constructor(metrics: Metrics, sweep: HeartbeatSweep) {
    metrics.watch(
      {
        name: 'uptime_heartbeats_overdue',
        help: 'Heartbeats that have been due for a decision for more than 10 s; normally 0.',
      },
      () => sweep.overdue,
    );
  }
}
