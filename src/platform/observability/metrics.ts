import { Injectable } from '@nestjs/common';
import {
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

/** Node's own sampler of the event loop, which cannot be left out, wakes the process once in 24 days; see `EventLoopMetrics`. */
const NEVER_MS = 2 ** 31 - 1;
const EVENT_LOOP_LAG = 'nodejs_eventloop_lag_';
/** Gauges with the name of counters; the same without `_total` says it by type. */
const MISNAMED = /^nodejs_active_\w+_total$/;

/** The process's Prometheus registry. Names start with `uptime_`; labels never carry an organization's data. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private exposing: Promise<string> | null = null;

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: NEVER_MS });
    for (const { name } of this.registry.getMetricsAsArray())
      if (name.startsWith(EVENT_LOOP_LAG) || MISNAMED.test(name)) this.registry.removeSingleMetric(name);
  }

  counter<Label extends string>(options: CounterConfiguration<Label>): Counter<Label> {
    return new Counter({ ...options, registers: [this.registry] });
  }

  gauge<Label extends string>(options: GaugeConfiguration<Label>): Gauge<Label> {
    return new Gauge({ ...options, registers: [this.registry] });
  }

  /** A gauge whose value is read at each scrape. */
  watch(gauge: { name: string; help: string }, read: () => number): void {
    this.gauge({
      ...gauge,
      collect() {
        this.set(read());
      },
    });
  }

  histogram<Label extends string>(options: HistogramConfiguration<Label>): Histogram<Label> {
    return new Histogram({ ...options, registers: [this.registry] });
  }

  /** Prometheus text format. Whoever asks while it is being written gets the same: some figures ask the database. */
  expose(): Promise<string> {
    this.exposing ??= this.registry.metrics().finally(() => (this.exposing = null));
    return this.exposing;
  }
}
