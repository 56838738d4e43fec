import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { SECOND_MS } from '../platform/time/time-units';
import { ResultBuffer } from './results/result-buffer';
import { ServerClock } from './server/server-clock';
import { ServerConnection } from './server/server-connection';
import { Assignments } from './slots/assignments';

/** The outcome for a result. */
type ResultKind = 'recorded' | 'duplicate' | 'late' | 'refused';

/** A probe's metrics, in addition to the engine's. */
@Injectable()
export class ProbeAgentMetrics {
  private readonly results;

  constructor(
    metrics: Metrics,
    connection: ServerConnection,
    clock: ServerClock,
    assignments: Assignments,
    buffer: ResultBuffer,
  ) {
    this.results = metrics.labelledCounter({
      name: 'uptime_results_sent_total',
      help: 'Results that the service has accepted or rejected; some of the recorded ones arrived late.',
      values: { kind: ['recorded', 'duplicate', 'late', 'refused'] },
    });
    metrics.watch(
      { name: 'uptime_server_last_seen_timestamp_seconds', help: 'When the service last responded, by its own clock.' },
      () => (clock.now() - connection.silentMs) / SECOND_MS,
    );
    metrics.watch(
      { name: 'uptime_clock_offset_seconds', help: 'How far the wall clock is ahead of the service’s clock.' },
      () => clock.wallAheadMs / SECOND_MS,
    );
    metrics.watch(
      { name: 'uptime_endpoints_assigned', help: 'Endpoints that are checked here.' },
      () => assignments.size,
    );
    metrics.counter({
      name: 'uptime_results_lost_total',
      help: 'Results that were given up: too old, or too many.',
      collect() {
        this.reset();
        this.inc(buffer.lost);
      },
    });
  }

  sent(kind: ResultKind, count: number): void {
    if (count > 0) this.results.inc({ kind }, count);
  }
}
