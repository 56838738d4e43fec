import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { all, get, query, remove } from '../api/client';
import type { Alert, Check, Endpoint, LatencyBucket, Outage, Uptime } from '../api/types';
import { chartData, PHASES } from '../logic/chart-data';
import { now } from '../state/clock';
import { sameQuestion } from '../logic/commands';
import { checkNow, setEnabled } from '../state/endpoint-actions';
import { count, day, daysUntil, duration, ms, percent, time } from '../logic/format';
import { useKeys } from '../state/keyboard';
import { listen } from '../state/live';
import { useEvery, useLoad } from '../state/load';
import { items } from '../state/overview-store';
import { Beats } from '../components/check/beats';
import { CheckList } from '../components/check/check-list';
import { CopyButton } from '../components/copy';
import { confirmed } from '../components/dialog';
import { Button, Data, Facts, Head, Section, Table } from '../components/layout';
import { PhaseChart } from '../components/check/phase-chart';
import { AlertState } from '../components/alert-state';
import { checkSentence } from '../components/check/recent-beats';
import { StatusPill, statusWord } from '../components/status';
import { go, route, setQuery } from '../state/router';
import { thresholds } from './alerts';
import { may } from '../state/session';
import { RANGES, rangeOf } from '../logic/time-range';
import { attempt } from '../state/toast';

const WINDOWS = ['24h', '7d', '30d', '90d'] as const;

export function EndpointScreen({ id }: { id: string }) {
  const path = `/api/v1/endpoints/${id}`;
  const endpoint = useLoad(path, (signal) => get<Endpoint>(path, signal));
  const checks = useLoad(`${path}/checks`, (signal) => get<Check[]>(`${path}/checks?limit=60`, signal));
  const uptimes = useLoad(`${path}/uptime`, (signal) =>
    Promise.all(WINDOWS.map((window) => get<Uptime>(`${path}/uptime?window=${window}`, signal))),
  );
  const reload = () => {
    endpoint.reload();
    checks.reload();
    uptimes.reload();
  };

  useEvery(10, reload);
  useEffect(() => {
    const reloadMine = (change: { endpoint_id: string }) => {
      if (change.endpoint_id === id) reload();
    };
    return listen({ check: reloadMine, alert: reloadMine, ready: reload });
  }, [id]);

  const act = async (action: (endpoint: Endpoint) => Promise<void>) => {
    const { value } = endpoint.data;
    if (!value || !may.write()) return;
    await action(value);
    reload();
  };
  const check = () => act(({ name }) => checkNow(id, name));
  const pause = () => act(({ name, enabled }) => setEnabled(id, name, !enabled));
  useKeys({ c: check, p: pause, e: () => may.write() && go(`/endpoints/${id}/edit`) });

  const long = uptimes.data.value?.[3];
  const recent = checks.data.value ?? [];
  return (
    <Data of={endpoint}>
      {(data) => (
        <>
          <EndpointHead endpoint={data} since={since(data, long)} newest={recent[0]} onCheck={check} onPause={pause} />
          <Strip endpoint={data} checks={recent} />
          <Tiles endpoint={data} newest={recent[0]} uptimes={uptimes.data.value} />
          <Latency endpoint={data} />
          <div class="columns">
            <Section title="Outages, last 90 days">
              <Outages outages={long?.outages} />
            </Section>
            <div>
              <CertificateCard checks={recent} />
              <Rules endpoint={data} />
            </div>
          </div>
          <Section title="Recent checks">
            <CheckList endpointId={id} version={data.last_checked_at ?? ''} />
          </Section>
        </>
      )}
    </Data>
  );
}

/** Since when the present state holds, as far as is known. */
function since(endpoint: Endpoint, long: Uptime | undefined): string | null {
  const known = items.value?.find((item) => item.id === endpoint.id)?.status_since;
  if (known) return known;
  const [last] = long?.outages ?? [];
  return endpoint.status === 'down'
    ? (last?.started_at ?? null)
    : endpoint.status === 'up'
      ? (last?.ended_at ?? null)
      : null;
}

function EndpointHead(props: {
  endpoint: Endpoint;
  since: string | null;
  newest: Check | undefined;
  onCheck: () => Promise<void>;
  onPause: () => Promise<void>;
}) {
  const { endpoint, newest } = props;
  const destroy = async () => {
    const text = `“${endpoint.name}” goes for good, with its alert rules and its history. Open incidents are resolved first.`;
    if (!(await confirmed('Delete this endpoint', text))) return;
    if (await attempt(() => remove(`/api/v1/endpoints/${endpoint.id}`), `${endpoint.name} is deleted.`)) go('/');
  };
  const copy = (
    <CopyButton
      label={endpoint.type.startsWith('HTTP') ? 'Copy as curl' : 'Copy as command'}
      text={sameQuestion(endpoint)}
    />
  );
  return (
    <Head
      up={[`#/?website=${endpoint.website_id}`, endpoint.group]}
      title={endpoint.name}
      actions={
        may.write() ? (
          <>
            <Button class="primary" act={props.onCheck}>
              Check now
            </Button>
            <Button act={props.onPause}>{endpoint.enabled ? 'Pause' : 'Resume'}</Button>
            <a class="button" href={`#/endpoints/${endpoint.id}/edit`}>
              Edit
            </a>
            {copy}
            <Button class="danger" act={destroy}>
              Delete
            </Button>
          </>
        ) : (
          copy
        )
      }
    >
      <p>
        <StatusPill status={endpoint.status} />{' '}
        {props.since !== null &&
          `for ${duration((now.value - Date.parse(props.since)) / 1000)}, since ${time(props.since, now.value)}`}
        {endpoint.status === 'down' && newest?.error && <strong> · {newest.error.message}</strong>}
      </p>
      <p class="muted">
        <span class="chip">{endpoint.type}</span> <span class="mono">{endpoint.url}</span> · every{' '}
        {duration(endpoint.interval)}, gives up after {duration(endpoint.timeout)}
      </p>
    </Head>
  );
}

function Strip({ endpoint, checks }: { endpoint: Endpoint; checks: Check[] }) {
  const shown = checks.slice().reverse();
  const slowest = Math.max(1, ...shown.map((check) => check.duration_ms));
  return (
    <Beats
      tall
      slots={60}
      name={endpoint.name}
      beats={shown.map((check) => ({ outcome: check.outcome, level: check.duration_ms / slowest }))}
      describe={(index) => {
        const check = shown[index];
        return check ? checkSentence(check, now.peek()) : '';
      }}
    />
  );
}

function Tiles(props: { endpoint: Endpoint; newest: Check | undefined; uptimes: Uptime[] | undefined }) {
  const { endpoint, newest, uptimes } = props;
  const dayOf = uptimes?.[0];
  const nextIn = newest ? (Date.parse(newest.checked_at) - now.value) / 1000 + endpoint.interval : null;
  const tiles: [string, string][] = [
    ['Now', newest?.outcome === 'up' ? ms(newest.duration_ms) : statusWord(endpoint.status)],
    ['p50, 24 h', ms(dayOf?.latency.p50)],
    ['p95, 24 h', ms(dayOf?.latency.p95)],
    ...WINDOWS.map((window, index): [string, string] => [`Uptime ${window}`, percent(uptimes?.[index]?.uptime)]),
    [
      'Next check',
      endpoint.status === 'paused' ? 'paused' : nextIn === null || nextIn < 1 ? 'now' : `in ${duration(nextIn)}`,
    ],
  ];
  const coverage = dayOf?.coverage;
  return (
    <>
      <dl class="tiles">
        {tiles.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {coverage !== undefined && coverage !== null && coverage < 0.995 && (
        <p class="muted small">
          The 24 h figure rests on {percent(coverage)} of the time: checks we could not make are not counted for or
          against it.
        </p>
      )}
    </>
  );
}

function Latency({ endpoint }: { endpoint: Endpoint }) {
  const path = `/api/v1/endpoints/${endpoint.id}/latency`;
  const coarse = useComputed(() => Math.floor(now.value / 15_000) * 15_000);
  const range = useMemo(
    () => rangeOf(route.value.query, coarse.value, Date.parse(endpoint.created_at), endpoint.interval),
    [route.value.query.toString(), coarse.value, endpoint.created_at, endpoint.interval],
  );
  const key = `${path}/${range.name ?? `${range.from}-${range.to}`}`;
  const latency = useLoad(key, (signal) =>
    get<LatencyBucket[]>(`${path}${query({ from: iso(range.from), to: iso(range.to), step: range.step })}`, signal),
  );
  useEffect(() => latency.reload(), [endpoint.last_checked_at]);
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
        {range.name === null && <Button act={() => setQuery({ from: null, to: null })}>Zoom out</Button>}
        <p class="muted small">Drag over the chart to zoom. Red marks are failed checks.</p>
      </div>
      <PhaseChart
        data={data}
        from={range.from / 1000}
        to={range.to / 1000}
        label={`Latency from ${time(iso(range.from), now.peek())} to ${time(iso(range.to), now.peek())}: slowest p95 ${ms(slowest)}, ${count(failures, 'failed check')}. The same as a table below.`}
        onZoom={(from, to) => setQuery({ from: String(Math.floor(from)), to: String(Math.ceil(to)), range: null })}
      />
      <ul class="legend">
        {PHASES.map(({ key: phase, name, color }) => (
          <li key={phase}>
            <i style={{ background: `var(${color})` }} /> {name}
          </li>
        ))}
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

function Outages({ outages }: { outages: Outage[] | undefined }) {
  if (outages?.length === 0) return <p class="muted">None. Long may it last.</p>;
  return (
    <ol class="feed">
      {outages?.slice(0, 20).map((outage) => (
        <li key={outage.started_at}>
          <span>{time(outage.started_at, now.value)}</span>
          <span>{outage.error?.message ?? 'No reason kept'}</span>
          <span class="num">
            {outage.ended_at === null && 'still down, '}
            {duration((Date.parse(outage.ended_at ?? iso(now.value)) - Date.parse(outage.started_at)) / 1000)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function CertificateCard({ checks }: { checks: readonly Check[] }) {
  const certificate = checks.find((check) => check.certificate !== null)?.certificate;
  if (!certificate) return null;
  const days = daysUntil(certificate.expires_at, now.value);
  return (
    <Section title="Certificate">
      <Facts
        of={[
          [
            'Valid until',
            <>
              {day(certificate.expires_at)}, <strong>{days < 0 ? 'expired' : `${count(days, 'day')} left`}</strong>
            </>,
          ],
          ['Subject', certificate.subject],
          ['Issuer', certificate.issuer],
          ['Names', certificate.names.join(', ')],
        ]}
      />
    </Section>
  );
}

function Rules({ endpoint }: { endpoint: Endpoint }) {
  const path = `/api/v1/alerts?endpoint_id=${endpoint.id}`;
  const alerts = useLoad(path, (signal) => all<Alert>(path, signal));
  return (
    <Section title="Alert rules">
      {alerts.data.value?.length === 0 && <p class="muted">Nobody is told when this goes down.</p>}
      <ul class="feed">
        {alerts.data.value?.map((alert) => (
          <li key={alert.id}>
            <a href={`#/alerts/${alert.id}`}>{alert.type}</a>
            <span>
              {thresholds(alert)}
              {alert.description !== '' && <span class="muted"> · {alert.description}</span>}
            </span>
            <AlertState alert={alert} />
          </li>
        ))}
      </ul>
      {may.write() && (
        <p class="actions">
          <a class="button" href={`#/alerts/new?endpoint_id=${endpoint.id}`}>
            Add an alert
          </a>
        </p>
      )}
    </Section>
  );
}
