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

/** Node's event loop sampler can't be disabled, so it is set to run only once every 24 days. See `EventLoopMetrics`. */
const NEVER_MS = 2 ** 31 - 1;
const EVENT_LOOP_LAG = 'nodejs_eventloop_lag_';
/** Gauges that are named like counters. The same metrics without `_total` contain the values by type. */
const MISNAMED = /^nodejs_active_\w+_total$/;

/**
 * The values of each label. Values that are known only after startup are given as a function, which is called at the
 * first scrape.
 */
type LabelValues = Readonly<Record<string, readonly string[] | (() => readonly string[])>>;

interface Labelled<Values extends LabelValues> {
  readonly name: string;
  readonly help: string;
  readonly values: Values;
  /** Selects the combinations of labels that can occur. */
  readonly only?: (labels: LabelsOf<Values>) => boolean;
}

type LabelsOf<Values extends LabelValues> = {
  [Label in keyof Values & string]: Values[Label] extends readonly (infer Value extends string)[] ? Value : string;
};

/** Counts events by labels with declared values. */
export interface LabelledCounter<Values extends LabelValues> {
  inc(labels: LabelsOf<Values>, by?: number): void;
}

function combinationsOf<Values extends LabelValues>(values: Values): LabelsOf<Values>[] {
  const all = Object.entries(values).reduce<Record<string, string>[]>(
    (made, [label, known]) => {
      const each = typeof known === 'function' ? known() : known;
      return made.flatMap((labels) => each.map((value) => ({ ...labels, [label]: value })));
    },
    [{}],
  );
  return all as LabelsOf<Values>[];
}

/** The process's Prometheus registry. Names start with `uptime_`. Labels never contain an organization's data. */
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

  /**
   * Creates a counter with known label values, so that each combination starts at 0. If a series starts with its first
   * event, Prometheus sees no increase, and an alert rule would miss it.
   */
  labelledCounter<const Values extends LabelValues>(counter: Labelled<Values>): LabelledCounter<Values> {
    const { name, help, values, only = () => true } = counter;
    let isBegun = false;
    const all = this.counter({
      name,
      help,
      labelNames: Object.keys(values),
      collect() {
        if (isBegun) return;
        isBegun = true;
        for (const labels of combinationsOf(values)) if (only(labels)) this.inc(labels, 0);
      },
    });
    return { inc: (labels, by = 1) => all.inc(labels, by) };
  }

  gauge<Label extends string>(options: GaugeConfiguration<Label>): Gauge<Label> {
    return new Gauge({ ...options, registers: [this.registry] });
  }

  /** Creates a gauge whose value is read at each scrape. */
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

  /**
   * Returns the metrics in Prometheus text format. Concurrent calls share one result, because some values need a
   * database query.
   */
  expose(): Promise<string> {
    this.exposing ??= this.registry.metrics().finally(() => (this.exposing = null));
    return this.exposing;
  }
}
