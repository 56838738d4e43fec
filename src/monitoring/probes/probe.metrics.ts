import { Injectable } from '@nestjs/common';
import { formatId } from '../../platform/ids/id';
import { Metrics } from '../../platform/observability/metrics';
import { SECOND_MS } from '../../platform/time/time-units';
import { Clock } from '../../platform/time/clock';

export interface MeasuredProbe {
  /** UUID. */
  id: string;
  /**
   * Whether the probe is shared with all organizations or belongs to the Default organization. Metrics only identify
   * these probes.
   */
  isOperators: boolean;
  online: boolean;
  /** The time since the last contact, or `null` if there was none. */
  silentMs: number | null;
  clockOffsetMs: number | null;
  buffered: number | null;
  sessions: number;
}

/**
 * The common label for all probes that belong to other organizations. Metrics need no API key, and these probes must
 * remain private.
 */
const OF_ORGANIZATIONS = 'organizations';

/**
 * Metrics of the operator's probes by ID: their state when last read, and the results that this process received.
 * Probes of other organizations are only counted. Cost: no statement per scrape.
 */
@Injectable()
export class ProbeMetrics {
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
            const value = probe.isOperators ? read(probe) : null;
            if (value !== null) this.set({ probe: formatId('probe', probe.id) }, value);
          }
        },
      });
    };
    gauge({ name: 'uptime_probe_up', help: 'Whether the probe is online.' }, ({ online }) => (online ? 1 : 0));
    gauge(
      { name: 'uptime_probe_last_seen_timestamp_seconds', help: 'When the probe was last seen.' },
      ({ silentMs }) =>
        silentMs === null
          ? null
          : (this.clock.now().getTime() - silentMs - (this.clock.monotonic() - this.readAt)) / SECOND_MS,
    );
    gauge(
      {
        name: 'uptime_probe_clock_offset_seconds',
        help: 'How far the probe’s clock is ahead of the service’s clock.',
      },
      ({ clockOffsetMs }) => (clockOffsetMs === null ? null : clockOffsetMs / SECOND_MS),
    );
    gauge(
      { name: 'uptime_probe_buffered_results', help: 'Results that the probe has buffered.' },
      ({ buffered }) => buffered,
    );
    const probes = () => this.probes;
    metrics.gauge({
      name: 'uptime_organization_probes',
      help: 'Probes of organizations other than the Default organization, by whether they are online.',
      labelNames: ['state'],
      collect() {
        const others = probes().filter(({ isOperators }) => !isOperators);
        const online = others.filter((probe) => probe.online).length;
        this.set({ state: 'online' }, online);
        this.set({ state: 'offline' }, others.length - online);
      },
    });
    metrics.counter({
      name: 'uptime_probe_sessions_total',
      help: 'Processes that have started using the probe’s token. For probes of organizations, one total.',
      labelNames: ['probe'],
      collect() {
        this.reset();
        for (const probe of probes()) this.inc({ probe: labelOf(probe) }, probe.sessions);
      },
    });
    this.results = metrics.counter({
      name: 'uptime_probe_results_total',
      help: 'Results of probes by how they were processed; late results are also recorded. For probes of organizations, one total.',
      labelNames: ['probe', 'kind'],
    });
  }

  /** Stores the state of all probes as just read. */
  read(probes: readonly MeasuredProbe[]): void {
    this.probes = probes;
    this.readAt = this.clock.monotonic();
  }

  /** Counts the rows of one batch, by kind. */
  taken(probeId: string, counts: Readonly<Record<string, number>>): void {
    const probe = labelOf(this.probes.find(({ id }) => id === probeId));
    for (const [kind, count] of Object.entries(counts)) if (count > 0) this.results.inc({ probe, kind }, count);
  }
}

const labelOf = (probe: MeasuredProbe | undefined): string =>
  probe?.isOperators ? formatId('probe', probe.id) : OF_ORGANIZATIONS;
