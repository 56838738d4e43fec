import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { get, query } from '../../api/client';
import type { Endpoint, LatencyBucket, Outage } from '../../api/types';
import { bandsOf } from '../../logic/chart-bands';
import {
  lineStyle,
  type LineStyle,
  type LocationBuckets,
  type LocationData,
  locationData,
  phaseData,
  PHASES,
  responseData,
  WEEK_MS,
} from '../../logic/chart-data';
import { bucketText, locationsText } from '../../logic/chart-text';
import { count, ms, time } from '../../logic/format';
import { BUCKETS, RANGES, rangeOf } from '../../logic/time-range';
import { occurrencesOf } from '../../state/bands';
import { now } from '../../state/clock';
import { useLoad, useReload } from '../../state/load';
import { route, setQuery } from '../../state/router';
import { Button, Section, Table } from '../layout';
import { Switch } from '../switch';
import { LocationChart, PhaseChart, ResponseChart } from './time-chart';

const VIEWS = [
  ['', 'p50 and p95'],
  ['phases', 'By phase'],
] as const;
/** The view for endpoints that are checked from several locations. */
const BY_LOCATION = ['locations', 'By location'] as const;

/** Shows response times over the range in the URL, as a chart of percentiles or phases, and as a table. */
export function LatencySection({ endpoint, outages }: { endpoint: Endpoint; outages: readonly Outage[] }) {
  const path = `/api/v1/endpoints/${endpoint.id}/latency`;
  const { heartbeat } = endpoint;
  const locations = endpoint.by_location ?? [];
  const views = heartbeat ? [] : [...VIEWS, ...(locations.length > 1 ? [BY_LOCATION] : [])];
  const view = views.find(([name]) => name === route.value.query.get('view'))?.[0] ?? '';
  // Cron schedules have no fixed period.
  const interval = endpoint.interval ?? heartbeat?.every ?? 3600;
  const perChart = view === 'phases' ? BUCKETS.bars : BUCKETS.percentiles;
  const madeAt = Date.parse(endpoint.created_at);
  const coarse = useComputed(() => Math.floor(now.value / 15_000) * 15_000);
  const range = useMemo(
    () => rangeOf(route.value.query, coarse.value, madeAt, interval, perChart, heartbeat ? '30d' : undefined),
    [route.value.query.toString(), coarse.value, madeAt, interval, perChart],
  );
  const key = `${path}/${range.step}/${range.name ?? `${range.from}-${range.to}`}`;
  const read = (shift: number, signal: AbortSignal, location?: string) =>
    get<LatencyBucket[]>(
      `${path}${query({ from: iso(range.from - shift), to: iso(range.to - shift), step: range.step, location })}`,
      signal,
    );
  const latency = useLoad(key, (signal) => read(0, signal));
  useReload(latency, [endpoint.last_checked_at]);
  const hasBefore = view === '' && range.to - WEEK_MS > madeAt;
  const earlier = useLoad(`${key}/${hasBefore}`, async (signal) => (hasBefore ? read(WEEK_MS, signal) : []));
  // Past data doesn't change, so it is only reloaded after the range has moved by a few buckets.
  useReload(earlier, [Math.floor(range.to / range.step / 5000)]);
  const names = view === 'locations' ? locations.map(({ location }) => location) : [];
  const each = useLoad(`${key}/${names.join()}`, (signal) =>
    Promise.all(
      names.map(async (location): Promise<LocationBuckets> => ({ location, buckets: await read(0, signal, location) })),
    ),
  );
  useReload(each, [endpoint.last_checked_at]);
  const off = useSignal<readonly string[]>([]);
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
  const title = heartbeat ? 'Run times' : 'Response time';
  const buckets = latency.data.value;
  const before = earlier.data.value;
  const phases = useMemo(() => phaseData(buckets ?? [], range.step), [buckets]);
  const response = useMemo(() => responseData(buckets ?? [], before ?? [], range.step), [buckets, before]);
  const byLocation = useMemo(
    () => locationData(each.data.value ?? [], off.value, range.step),
    [each.data.value, off.value],
  );
  const hasLine = response.before.some((value) => value !== null);
  const failures = phases.failures.reduce((sum, each) => sum + each, 0);
  const slowest = Math.max(0, ...(buckets ?? []).map((bucket) => bucket.p95 ?? 0));
  const shared = {
    bands,
    from: range.from / 1000,
    to: range.to / 1000,
    label: `${title} from ${time(iso(range.from), now.peek())} to ${time(iso(range.to), now.peek())}: slowest p95 ${ms(slowest)}, ${count(failures, 'failed check')}${bands.length > 0 ? `, ${count(bands.length, 'maintenance window')}` : ''}. The same data is in the table below.`,
    describe: (index: number) => {
      const bucket = buckets?.[index];
      return bucket ? bucketText(bucket, response.before[index] ?? null, now.peek()) : '';
    },
    onZoom: (from: number, to: number) =>
      setQuery({ from: String(Math.floor(from)), to: String(Math.ceil(to)), range: null }),
  };

  return (
    <Section title={title}>
      <div class="filters">
        {!heartbeat && <Switch label="View" options={views} value={view} set={(value) => setQuery({ view: value })} />}
        <Switch
          label="Time range"
          options={RANGES.map((name) => [name, name] as const)}
          value={range.name}
          set={(name) => setQuery({ range: name, from: null, to: null })}
        />
        {range.name === null && <Button onClick={() => setQuery({ from: null, to: null })}>Zoom out</Button>}
        <p class="muted small">Drag over the chart to zoom.</p>
      </div>
      {buckets === undefined || (view === 'locations' && (each.data.value?.length ?? 0) === 0) ? (
        <ChartToCome />
      ) : !buckets.some((bucket) => bucket.count > 0) ? (
        <p class="chart none">No checks in this time range.</p>
      ) : view === '' && !buckets.some(({ p50 }) => p50 !== null) ? (
        <p class="chart none">No successful checks in this time range. {count(failures, 'check')} failed.</p>
      ) : view === 'locations' ? (
        <LocationChart
          key="locations"
          data={byLocation}
          {...shared}
          describe={(index) => locationsText(byLocation, index, now.peek())}
        />
      ) : view === 'phases' ? (
        <PhaseChart key="phases" data={phases} {...shared} />
      ) : (
        <ResponseChart key="response" data={response} {...shared} />
      )}
      <ul class="legend">
        {view === 'locations' ? (
          names.map((name, index) => (
            <li key={name}>
              <button
                type="button"
                class="tag line"
                aria-pressed={!off.value.includes(name)}
                onClick={() => {
                  const others = off.value.filter((one) => one !== name);
                  off.value = others.length < off.value.length ? others : [...others, name];
                }}
              >
                <Sample of={lineStyle(index)} /> p95 {name}
              </button>
            </li>
          ))
        ) : view === 'phases' ? (
          PHASES.map(({ key: phase, name, color }) => (
            <li key={phase}>
              <i style={{ background: `var(${color})` }} /> {name}
            </li>
          ))
        ) : (
          <>
            <li>
              <i class="p50" /> p50
            </li>
            <li>
              <i class="p95" /> up to p95
            </li>
            {hasLine && (
              <li>
                <i class="before" /> p50, a week earlier
              </li>
            )}
          </>
        )}
        {failures > 0 && (
          <li>
            <i class="failure" /> Failed checks
          </li>
        )}
        {bands.length > 0 && (
          <li>
            <i class="band" /> Maintenance
          </li>
        )}
      </ul>
      <details>
        <summary>As a table</summary>
        {view === 'locations' ? (
          <LocationTable of={byLocation} />
        ) : (
          <LatencyTable buckets={buckets ?? []} before={hasLine ? response.before : null} />
        )}
      </details>
    </Section>
  );
}

const iso = (at: number): string => new Date(at).toISOString();

/** A placeholder shaped like the chart. It has no numbers, because any number would be wrong. */
const ChartToCome = () => (
  <p class="chart to-come">
    <svg viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 40V26l10-3 12 4 13-7 12 3 12-6 13 5 12-9 16 4V40Z" />
    </svg>
    <span class="sr">Loading…</span>
  </p>
);

const Sample = ({ of: { color, dash } }: { of: LineStyle }) => (
  <svg width="20" height="8" aria-hidden="true">
    <path d="M0 4h20" stroke={`var(${color})`} stroke-width="3" stroke-dasharray={dash.join(' ')} />
  </svg>
);

const LocationTable = ({ of: { times, failures, lines } }: { of: LocationData }) => (
  <Table
    label="Latency table"
    head={['From', ...lines.map(({ location }) => `#p95 ${location}`), '#Failed']}
    rows={failures.map((failed, index) => [
      time(iso((times[index] ?? 0) * 1000), now.peek()),
      ...lines.map(({ p95 }) => ms(p95[index])),
      failed,
    ])}
  />
);

interface TableProps {
  buckets: readonly LatencyBucket[];
  /** The p50 one week before each bucket, or `null` if there is no such data. */
  before: readonly (number | null)[] | null;
}

const LatencyTable = ({ buckets, before }: TableProps) => (
  <Table
    label="Latency table"
    head={[
      'From',
      '#Checks',
      '#Failed',
      '#p50',
      ...(before === null ? [] : ['#A week earlier']),
      '#p95',
      '#p99',
      ...PHASES.map(({ name }) => `#${name}`),
    ]}
    rows={buckets.flatMap((bucket, index) =>
      bucket.count === 0
        ? []
        : [
            [
              time(bucket.start, now.peek()),
              bucket.count,
              bucket.failures,
              ms(bucket.p50),
              ...(before === null ? [] : [ms(before[index])]),
              ms(bucket.p95),
              ms(bucket.p99),
              ...PHASES.map(({ key }) => ms(bucket.phases?.[key])),
            ],
          ],
    )}
  />
);
