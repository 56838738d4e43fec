import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { get, query } from '../../api/client';
import type { Endpoint, LatencyBucket, Outage } from '../../api/types';
import { bandsOf } from '../../logic/chart-bands';
import { chartData, PHASES } from '../../logic/chart-data';
import { count, ms, time } from '../../logic/format';
import { RANGES, rangeOf } from '../../logic/time-range';
import { occurrencesOf } from '../../state/bands';
import { now } from '../../state/clock';
import { useLoad } from '../../state/load';
import { route, setQuery } from '../../state/router';
import { Button, Section, Table } from '../layout';
import { PhaseChart } from './phase-chart';

/** Latency by phase over a range of the URL's choosing, as a chart and as a table. */
export function LatencySection({ endpoint, outages }: { endpoint: Endpoint; outages: readonly Outage[] }) {
  const path = `/api/v1/endpoints/${endpoint.id}/latency`;
  const coarse = useComputed(() => Math.floor(now.value / 15_000) * 15_000);
  const range = useMemo(
    () => rangeOf(route.value.query, coarse.value, Date.parse(endpoint.created_at), endpoint.interval ?? 60),
    [route.value.query.toString(), coarse.value, endpoint.created_at, endpoint.interval],
  );
  const key = `${path}/${range.name ?? `${range.from}-${range.to}`}`;
  const latency = useLoad(key, (signal) =>
    get<LatencyBucket[]>(`${path}${query({ from: iso(range.from), to: iso(range.to), step: range.step })}`, signal),
  );
  useEffect(() => latency.reload(), [endpoint.last_checked_at]);
  const planned = useLoad(`bands/${key}/${endpoint.maintenance?.until}`, (signal) =>
    occurrencesOf(endpoint.id, range.from, range.to, signal),
  );
  const bands = useMemo(
    () =>
      bandsOf(planned.data.value ?? [], outages, coarse.value).filter(
        ({ from, to }) => from * 1000 < range.to && to * 1000 > range.from,
      ),
    [planned.data.value, outages, range],
  );
  const buckets = latency.data.value;
  const data = useMemo(() => chartData(buckets ?? [], range.step), [buckets]);
  const failures = data.failures.reduce((sum, each) => sum + each, 0);
  const slowest = Math.max(0, ...(buckets ?? []).map((bucket) => bucket.p95 ?? 0));

  return (
    <Section title="Latency by phase">
      <div class="filters">
        <div class="range" role="group" aria-label="Time range">
          {RANGES.map((name) => (
            <button
              type="button"
              key={name}
              aria-pressed={range.name === name}
              onClick={() => setQuery({ range: name, from: null, to: null })}
            >
              {name}
            </button>
          ))}
        </div>
        {range.name === null && <Button onClick={() => setQuery({ from: null, to: null })}>Zoom out</Button>}
        <p class="muted small">Drag over the chart to zoom. Red marks are failed checks.</p>
      </div>
      {buckets?.some((bucket) => bucket.count > 0) ? (
        <PhaseChart
          data={data}
          bands={bands}
          from={range.from / 1000}
          to={range.to / 1000}
          label={`Latency from ${time(iso(range.from), now.peek())} to ${time(iso(range.to), now.peek())}: slowest p95 ${ms(slowest)}, ${count(failures, 'failed check')}${bands.length > 0 ? `, ${count(bands.length, 'maintenance window')}` : ''}. The same as a table below.`}
          onZoom={(from, to) => setQuery({ from: String(Math.floor(from)), to: String(Math.ceil(to)), range: null })}
        />
      ) : (
        <p class="chart none">{buckets ? 'No check in this time.' : 'Loading…'}</p>
      )}
      <ul class="legend">
        {PHASES.map(({ key: phase, name, color }) => (
          <li key={phase}>
            <i style={{ background: `var(${color})` }} /> {name}
          </li>
        ))}
        {bands.length > 0 && (
          <li>
            <i class="band" /> Maintenance
          </li>
        )}
      </ul>
      <details>
        <summary>As a table</summary>
        <LatencyTable buckets={buckets ?? []} />
      </details>
    </Section>
  );
}

const iso = (at: number): string => new Date(at).toISOString();

const LatencyTable = ({ buckets }: { buckets: readonly LatencyBucket[] }) => (
  <Table
    label="Latency table"
    head={['From', '#Checks', '#Failed', '#p50', '#p95', '#p99', ...PHASES.map(({ name }) => `#${name}`)]}
    rows={buckets
      .filter((bucket) => bucket.count > 0)
      .map((bucket) => [
        time(bucket.start, now.peek()),
        bucket.count,
        bucket.failures,
        ms(bucket.p50),
        ms(bucket.p95),
        ms(bucket.p99),
        ...PHASES.map(({ key }) => ms(bucket.phases?.[key])),
      ])}
  />
);
