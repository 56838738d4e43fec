import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get } from '../api/client';
import type { Check, Endpoint, Outage, Uptime } from '../api/types';
import { AcknowledgedBanner } from '../components/acknowledge';
import { Availability } from '../components/check/availability';
import { Beats } from '../components/check/beats';
import { CheckList } from '../components/check/check-list';
import { LatencySection } from '../components/check/latency-section';
import { checkSentence, countedOf } from '../components/check/recent-beats';
import { Deliveries, Rules } from '../components/endpoint/alerts';
import { CertificateCard } from '../components/endpoint/certificate';
import { EndpointHead } from '../components/endpoint/head';
import { Locations } from '../components/endpoint/locations';
import { Outages } from '../components/endpoint/outages';
import { Tiles, WINDOWS } from '../components/endpoint/tiles';
import { Address } from '../components/heartbeat/address';
import { Pings } from '../components/heartbeat/pings';
import { Data, Section } from '../components/layout';
import { lazy } from '../components/lazy';
import { IncidentLink } from '../components/incident/incident-link';
import { MaintenanceBanner } from '../components/quiet';
import { isHeartbeat } from '../logic/heartbeat';
import { shownSince } from '../logic/shown-since';
import { now } from '../state/clock';
import { checkNow, setEnabled } from '../state/endpoint-actions';
import { useKeys } from '../state/keyboard';
import { listen } from '../state/live';
import { useEvery, useLoad } from '../state/load';
import { itemOf } from '../state/overview-store';
import { go } from '../state/router';
import { may } from '../state/session';

const FirstContact = lazy(() => import('../components/alert/first-contact').then((file) => file.FirstContact), false);

/**
 * The page for an endpoint: status, uptime, response time, availability, outages, certificate, alert rules, and checks.
 */
export function EndpointPage({ id }: { id: string }) {
  const path = `/api/v1/endpoints/${id}`;
  const endpoint = useLoad(path, (signal) => get<Endpoint>(path, signal));
  // If the endpoint doesn't exist, nothing else is loaded.
  const isThere = endpoint.data.value !== undefined;
  const checks = useLoad(`${path}/checks/${isThere}`, async (signal) =>
    isThere ? get<Check[]>(`${path}/checks?limit=60`, signal) : [],
  );
  const uptimes = useLoad(`${path}/uptime/${isThere}`, (signal) =>
    Promise.all(isThere ? WINDOWS.map(([window]) => get<Uptime>(`${path}/uptime?window=${window}`, signal)) : []),
  );
  /** Counts the changes made by FirstContact. The alert rules are reloaded after each one. */
  const made = useSignal(0);
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
      heartbeat: reloadMine,
      location: reloadMine,
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
  const check = () => run((of) => (isHeartbeat(of) ? Promise.resolve() : checkNow(id, of.name)));
  const pause = () => run(({ name, enabled }) => setEnabled(id, name, !enabled, reload));
  useKeys({ c: check, p: pause, e: () => may.write() && go(`/endpoints/${id}/edit`) });

  const long = uptimes.data.value?.[3];
  const recent = checks.data.value ?? [];
  const outages = long?.outages ?? NONE;
  return (
    <Data of={endpoint}>
      {(data) => (
        <>
          <EndpointHead
            endpoint={data}
            since={shownSince(data, itemOf(id)?.status_since, long?.outages)}
            newest={recent[0]}
            onCheck={check}
            onPause={pause}
            reload={reload}
          />
          {may.write() && <FirstContact then={() => made.value++} />}
          {data.maintenance && <MaintenanceBanner of={data.maintenance} />}
          {data.incident_id && <IncidentLink id={data.incident_id} />}
          {data.acknowledgement && (
            <AcknowledgedBanner path={`endpoints/${id}`} of={data.acknowledgement} onChange={reload} />
          )}
          {data.heartbeat?.last_ping_at === null && <Address endpoint={data} of={data.heartbeat} reload={reload} />}
          <Locations endpoint={data} onCheck={(at) => run(({ name }) => checkNow(id, name, at))} />
          <div class="endpoint-columns">
            <div>
              <Strip endpoint={data} checks={recent} />
              <LatencySection endpoint={data} outages={outages} />
              <Availability endpoint={data} outages={outages} />
              {data.heartbeat && <Pings endpointId={id} version={data.heartbeat.last_ping_at ?? ''} />}
              {data.heartbeat && data.heartbeat.last_ping_at !== null && (
                <Address endpoint={data} of={data.heartbeat} reload={reload} />
              )}
              <Section title={data.heartbeat ? 'Runs' : 'Recent checks'}>
                <CheckList
                  endpointId={id}
                  version={data.last_checked_at ?? ''}
                  isOfRuns={data.heartbeat !== null}
                  locations={data.by_location}
                />
              </Section>
            </div>
            <aside aria-label="Details">
              <Tiles endpoint={data} newest={recent[0]} uptimes={uptimes.data.value} />
              <Rules key={made.value} endpoint={data} />
              <Section title="Outages, last 90 days">
                <Outages outages={long?.outages} />
              </Section>
              <Deliveries endpointId={id} />
              <CertificateCard endpoint={data} checks={recent} reload={reload} />
            </aside>
          </div>
        </>
      )}
    </Data>
  );
}

const NONE: readonly Outage[] = [];

/** Shows the newest checks as bars whose height is the response time. */
function Strip({ endpoint, checks }: { endpoint: Endpoint; checks: Check[] }) {
  const shown = checks.slice().reverse();
  const slowest = Math.max(1, ...shown.map((check) => check.duration_ms ?? 0));
  return (
    <figure class="strip">
      <Beats
        tall
        slots={60}
        label={`Checks of ${endpoint.name}`}
        noun="check"
        beats={shown.map((check) => ({
          outcome: countedOf(check),
          planned: check.planned,
          level: (check.duration_ms ?? slowest) / slowest,
        }))}
        describe={(index) => {
          const check = shown[index];
          return check ? checkSentence(check, now.peek()) : '';
        }}
      />
      <figcaption>
        {endpoint.heartbeat
          ? 'Last 60 runs. The height shows the run time.'
          : 'Last 60 checks. The height shows the response time.'}
      </figcaption>
    </figure>
  );
}
