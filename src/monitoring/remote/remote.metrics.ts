import { Injectable } from '@nestjs/common';
import { formatId } from '../../platform/ids/id';
import { Metrics } from '../../platform/observability/metrics';
import { SECOND_MS } from '../../platform/time/time-units';
import { Clock } from '../../platform/time/clock';

/** A probe as its figures show it. */
export interface MeasuredProbe {
  /** uuid. */
  id: string;
  online: boolean;
  /** How long ago it was heard; `null` for one that never was. */
  silentMs: number | null;
  clockOffsetMs: number | null;
  buffered: number | null;
  sessions: number;
}

/** Probes by their ids: how they are, as of the last look at them, and what became of the results that this process took. A scrape costs no statement. */
@Injectable()
export class RemoteMetrics {
  private probes: readonly MeasuredProbe[] = [];
  private readAt = 0;
  private readonly results;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
  ) {
    const gauge = (what: { name: string; help: string }, read: (probe: MeasuredProbe) => number | null) => {
      const probes = () => this.probes;
      metrics.gauge({
        ...what,
        labelNames: ['probe'],
        collect() {
          this.reset();
          for (const probe of probes()) {
            const value = read(probe);
            if (value !== null) this.set({ probe: formatId('probe', probe.id) }, value);
          }
        },
      });
    };
    gauge({ name: 'uptime_probe_up', help: 'Whether the probe is online.' }, ({ online }) => (online ? 1 : 0));
    gauge({ name: 'uptime_probe_seen_seconds', help: 'How long ago the probe was heard.' }, ({ silentMs }) =>
      silentMs === null ? null : (silentMs + this.clock.monotonic() - this.readAt) / SECOND_MS,
    );
    gauge(
      { name: 'uptime_probe_clock_offset_seconds', help: 'How far the clock of the probe is ahead.' },
      ({ clockOffsetMs }) => (clockOffsetMs === null ? null : clockOffsetMs / SECOND_MS),
    );
    gauge({ name: 'uptime_probe_buffered_results', help: 'Results that the probe holds.' }, ({ buffered }) => buffered);
    const sessions = () => this.probes;
    metrics.counter({
      name: 'uptime_probe_sessions_total',
      help: 'Processes that have begun to work with the token of the probe.',
      labelNames: ['probe'],
      collect() {
        this.reset();
        for (const { id, sessions: count } of sessions()) this.inc({ probe: formatId('probe', id) }, count);
      },
    });
    this.results = metrics.counter({
      name: 'uptime_probe_results_total',
      help: 'Results of probes, by what became of them; late ones are recorded, too.',
      labelNames: ['probe', 'kind'],
    });
  }

  /** What was just read of all probes. */
  read(probes: readonly MeasuredProbe[]): void {
    this.probes = probes;
    this.readAt = this.clock.monotonic();
  }

  /** What became of one batch, by kind. */
  taken(probeId: string, counts: Readonly<Record<string, number>>): void {
    const probe = formatId('probe', probeId);
    for (const [kind, count] of Object.entries(counts)) if (count > 0) this.results.inc({ probe, kind }, count);
  }
}
