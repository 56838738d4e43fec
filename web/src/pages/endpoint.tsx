import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { all, get, remove } from '../api/client';
import type { Alert, Check, Endpoint, Outage, Uptime } from '../api/types';
import { AcknowledgedBanner, AcknowledgeDialog } from '../components/acknowledge';
import { AlertName } from '../components/alert/alert-name';
import { AlertState } from '../components/alert/alert-state';
import { Beats } from '../components/check/beats';
import { CheckList } from '../components/check/check-list';
import { LatencySection } from '../components/check/latency-section';
import { checkSentence, outcomeOf } from '../components/check/recent-beats';
import { Share } from '../components/check/share';
import { CopyButton } from '../components/copy';
import { confirmed } from '../components/dialog';
import { EndpointLinks } from '../components/endpoint-links';
import { Button, Data, Facts, Head, Section } from '../components/layout';
import { MaintenanceBanner } from '../components/quiet';
import { StatusPill, statusWord } from '../components/status';
import { stepsOf } from '../logic/expiry';
import { ruleText } from '../logic/alert-rule';
import { checkCommand } from '../logic/commands';
import { count, day, daysUntil, duration, ms, nextCheckText, time } from '../logic/format';
import { shownStatus } from '../logic/overview-order';
import { shownSince } from '../logic/shown-since';
import { fewText, thinText } from '../logic/watched';
import { now } from '../state/clock';
import { useContacts } from '../state/contacts';
import { checkNow, setEnabled, warnOfCertificate } from '../state/endpoint-actions';
import { useKeys } from '../state/keyboard';
import { listen } from '../state/live';
import { useEvery, useLoad } from '../state/load';
import { muteHour } from '../state/mute';
import { items } from '../state/overview-store';
import { go } from '../state/router';
import { may } from '../state/session';
import { runAction } from '../state/toast';

const WINDOWS = ['24h', '7d', '30d', '90d'] as const;

/** One endpoint: status, uptime, latency, outages, certificate, alert rules and checks. */
export function EndpointPage({ id }: { id: string }) {
  const path = `/api/v1/endpoints/${id}`;
  const endpoint = useLoad(path, (signal) => get<Endpoint>(path, signal));
  // Nothing more is asked about an endpoint that is not there.
  const isThere = endpoint.data.value !== undefined;
  const checks = useLoad(`${path}/checks/${isThere}`, async (signal) =>
    isThere ? get<Check[]>(`${path}/checks?limit=60`, signal) : [],
  );
  const uptimes = useLoad(`${path}/uptime/${isThere}`, (signal) =>
    Promise.all(isThere ? WINDOWS.map((window) => get<Uptime>(`${path}/uptime?window=${window}`, signal)) : []),
  );
  const reload = () => {
    const isFirst = endpoint.data.peek() === undefined && endpoint.error.peek() === null;
    if (isFirst || endpoint.isMissing.value) return;
    endpoint.reload();
    checks.reload();
    uptimes.reload();
  };

  useEvery(10, reload);
  useEffect(() => {
    const reloadMine = (change: { endpoint_id: string }) => {
      if (change.endpoint_id === id) reload();
    };
    return listen({
      check: reloadMine,
      alert: reloadMine,
      acknowledgement: reloadMine,
      maintenance: reload,
      ready: reload,
    });
  }, [id]);

  const run = async (action: (endpoint: Endpoint) => Promise<void>) => {
    const { value } = endpoint.data;
    if (!value || !may.write()) return;
    await action(value);
    reload();
  };
  const check = () => run(({ name }) => checkNow(id, name));
  const pause = () => run(({ name, enabled }) => setEnabled(id, name, !enabled, reload));
  useKeys({ c: check, p: pause, e: () => may.write() && go(`/endpoints/${id}/edit`) });

  const long = uptimes.data.value?.[3];
  const recent = checks.data.value ?? [];
  return (
    <Data of={endpoint}>
      {(data) => (
        <>
          <EndpointHead
            endpoint={data}
            since={shownSince(data, items.value?.find((item) => item.id === id)?.status_since, long?.outages)}
            newest={recent[0]}
            onCheck={check}
            onPause={pause}
            reload={reload}
          />
          {data.maintenance && <MaintenanceBanner of={data.maintenance} />}
          {data.acknowledgement && <AcknowledgedBanner id={id} of={data.acknowledgement} onChange={reload} />}
          <Strip endpoint={data} checks={recent} />
          <Tiles endpoint={data} newest={recent[0]} uptimes={uptimes.data.value} />
          <LatencySection endpoint={data} outages={long?.outages ?? []} />
          <div class="columns">
            <Section title="Outages, last 90 days">
              <Outages outages={long?.outages} />
            </Section>
            <div>
              <CertificateCard endpoint={data} checks={recent} reload={reload} />
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

function EndpointHead(props: {
  endpoint: Endpoint;
  since: string | null;
  newest: Check | undefined;
  onCheck: () => Promise<void>;
  onPause: () => Promise<void>;
  reload: () => void;
}) {
  const { endpoint, newest } = props;
  const isAcknowledging = useSignal(false);
  const isInTrouble = endpoint.status === 'down' || items.value?.find(({ id }) => id === endpoint.id)?.alert_open;
  const destroy = async () => {
    const text = `“${endpoint.name}” goes for good, with its alert rules and its history. Open incidents are resolved first.`;
    if (!(await confirmed('Delete this endpoint', text))) return;
    if (await runAction(() => remove(`/api/v1/endpoints/${endpoint.id}`), `${endpoint.name} is deleted.`)) go('/');
  };
  const copy = (
    <CopyButton
      label={endpoint.type.startsWith('HTTP') ? 'Copy as curl' : 'Copy as command'}
      text={checkCommand(endpoint)}
    />
  );
  return (
    <Head
      parent={[`#/?website=${endpoint.website_id}`, endpoint.group]}
      title={endpoint.name}
      owner={endpoint.owner}
      actions={
        may.write() ? (
          <>
            <Button class="primary" onClick={props.onCheck}>
              Check now
            </Button>
            {isInTrouble && !endpoint.acknowledgement && (
              <Button onClick={() => (isAcknowledging.value = true)}>Acknowledge</Button>
            )}
            <Button onClick={() => muteHour({ endpoint_ids: [endpoint.id] }, endpoint.name).then(props.reload)}>
              Mute 1 h
            </Button>
            <Button onClick={props.onPause}>{endpoint.enabled ? 'Pause' : 'Resume'}</Button>
            <a class="button" href={`#/endpoints/${endpoint.id}/edit`}>
              Edit
            </a>
            <a class="button" href={`#/new?copy=${endpoint.id}`}>
              Clone
            </a>
            {copy}
            <Button class="danger" onClick={destroy}>
              Delete
            </Button>
          </>
        ) : (
          copy
        )
      }
    >
      <p>
        <StatusPill status={shownStatus(endpoint)} />{' '}
        {props.since !== null &&
          `for ${duration((now.value - Date.parse(props.since)) / 1000)}, since ${time(props.since, now.value)}`}
        {endpoint.status === 'down' && newest?.error && <strong> · {newest.error.message}</strong>}
        {endpoint.status === 'up' && newest?.warning && <strong> · {newest.warning.message}</strong>}
      </p>
      <p class="muted">
        <span class="chip">{endpoint.type}</span> <span class="mono">{endpoint.url}</span>
        {endpoint.interval !== null &&
          endpoint.timeout !== null &&
          ` · every ${duration(endpoint.interval)}, gives up after ${duration(endpoint.timeout)}`}
      </p>
      <EndpointLinks endpoint={endpoint} />
      {isAcknowledging.value && (
        <AcknowledgeDialog
          id={endpoint.id}
          name={endpoint.name}
          onClose={() => {
            isAcknowledging.value = false;
            props.reload();
          }}
        />
      )}
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
      beats={shown.map((check) => ({
        outcome: outcomeOf(check),
        planned: check.planned,
        level: check.duration_ms / slowest,
      }))}
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
  const few = fewText(dayOf?.checks);
  const tiles: [string, ComponentChildren][] = [
    ['Now', newest?.outcome === 'up' ? ms(newest.duration_ms) : statusWord(endpoint.status)],
    ['p50, 24 h', <Percentile of={dayOf?.latency.p50} few={few} />],
    ['p95, 24 h', <Percentile of={dayOf?.latency.p95} few={few} />],
    ...WINDOWS.map((window, index): [string, ComponentChildren] => {
      const { uptime, watched, coverage } = uptimes?.[index] ?? {};
      return [`Uptime ${window}`, <Share isSaid of={uptime} watched={watched} coverage={coverage} window={window} />];
    }),
    ['Next check', nextCheckText(endpoint.next_check_at, now.value)],
  ];
  const thin = thinText(
    WINDOWS.map((window, index) => {
      const { watched, coverage } = uptimes?.[index] ?? {};
      return { window, watched, coverage };
    }),
    time(endpoint.created_at, now.value),
  );
  const planned = WINDOWS.flatMap((window, index) => {
    const seconds = uptimes?.[index]?.planned_seconds ?? 0;
    return seconds === 0 ? [] : [`${duration(seconds)} of ${window}`];
  });
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
      {thin !== null && <p class="muted small below">{thin}</p>}
      {planned.length > 0 && (
        <p class="muted small below">Planned maintenance, which no uptime counts: {planned.join(', ')}.</p>
      )}
    </>
  );
}

/** Muted where it rests on a few checks, with how many. */
const Percentile = ({ of, few }: { of: number | null | undefined; few: string | null }) =>
  few === null ? (
    <>{ms(of)}</>
  ) : (
    <span class="thin">
      {ms(of)} <span class="small">{few}</span>
    </span>
  );

function Outages({ outages }: { outages: Outage[] | undefined }) {
  if (outages?.length === 0) return <p class="muted">None. Long may it last.</p>;
  return (
    <ol class="feed">
      {outages?.slice(0, 20).map((outage) => (
        <li key={outage.started_at}>
          <span>{time(outage.started_at, now.value)}</span>
          <span>
            {outage.error?.message ?? 'No reason kept'}
            {outage.planned && (
              <>
                {' '}
                <span class="chip">Planned</span>
              </>
            )}
          </span>
          <span class="num">
            {outage.ended_at === null && 'still down, '}
            {duration(
              ((outage.ended_at ? Date.parse(outage.ended_at) : now.value) - Date.parse(outage.started_at)) / 1000,
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface CertificateProps {
  endpoint: Endpoint;
  checks: readonly Check[];
  reload: () => void;
}

function CertificateCard({ endpoint, checks, reload }: CertificateProps) {
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
          ['Told', <ExpirySteps endpoint={endpoint} reload={reload} />],
        ]}
      />
    </Section>
  );
}

/** When its end is told; one click where nobody would be. */
function ExpirySteps({ endpoint, reload }: Omit<CertificateProps, 'checks'>) {
  const { tls } = endpoint;
  if (tls && tls.warn_days !== null) {
    return (
      <>
        {stepsOf(endpoint).join(', ')} days before, by its alert rules. <a href="#/certificates">All that end soon</a>
      </>
    );
  }
  if (!may.write()) return <>Nobody</>;
  return <Button onClick={() => void warnOfCertificate(endpoint).then(reload)}>Nobody yet: warn 14 days before</Button>;
}

function Rules({ endpoint }: { endpoint: Endpoint }) {
  const path = `/api/v1/alerts?endpoint_id=${endpoint.id}`;
  const alerts = useLoad(path, (signal) => all<Alert>(path, signal));
  const contacts = useContacts(alerts.data.value?.some(({ contact_id }) => contact_id !== null) ?? false);
  return (
    <Section title="Alert rules">
      {alerts.data.value?.length === 0 && <p class="muted">No alert: nobody is notified when this goes down.</p>}
      <ul class="feed">
        {alerts.data.value?.map((alert) => (
          <li key={alert.id}>
            <div>
              <AlertName alert={alert} contacts={contacts.data.value} />
            </div>
            <span>
              {ruleText(alert)}
              {alert.description !== '' && <span class="muted"> · {alert.description}</span>}
            </span>
            <AlertState alert={alert} contacts={contacts.data.value} />
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
