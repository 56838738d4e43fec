import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import type { HeldBackBy } from './episode/alert-transition';

/** Metrics of alert rules. Labels name no organization. */
@Injectable()
export class AlertMetrics {
  private readonly quiet;

  constructor(metrics: Metrics) {
    this.quiet = metrics.counter({
      name: 'uptime_triggers_quiet_total',
      help: 'Bad checks that would have triggered an alert but for an acknowledgement or a parent that is down.',
      labelNames: ['reason'],
    });
  }

  heldBack(reason: HeldBackBy): void {
    this.quiet.inc({ reason });
  }
}
