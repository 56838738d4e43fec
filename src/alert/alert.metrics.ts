import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import type { SuppressedBy } from './suppression/suppressed-by';

/** Alert rule metrics. Labels contain no organization. */
@Injectable()
export class AlertMetrics {
  private readonly triggers;

  constructor(metrics: Metrics) {
    this.triggers = metrics.labelledCounter({
      name: 'uptime_triggers_quiet_total',
      help: 'Failed checks that did not trigger an alert because of an acknowledgement or a parent that is down.',
      values: { reason: ['acknowledged', 'dependency', 'late'] },
    });
  }

  /**
   * Counts a suppressed trigger. Maintenance isn't counted: while it mutes all of an endpoint's results, its alerts
   * aren't even read.
   */
  suppressed(reason: SuppressedBy): void {
    if (reason !== 'maintenance') this.triggers.inc({ reason });
  }
}
