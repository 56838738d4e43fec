import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all, query } from '../../api/client';
import type { Alert, AlertEvent } from '../../api/types';
import { isLost } from '../../logic/alert-state';
import { channelName } from '../../logic/channel-name';
import { count, duration, time } from '../../logic/format';
import { fromText } from '../../logic/location';
import { byIncident, incidentLine, isOpen as isStillOpen, toldNext, toldText } from '../../logic/incident-story';
import { now } from '../../state/clock';
import { useContacts } from '../../state/contacts';
import { listen } from '../../state/live';
import { useEvery, useLoad, usePages } from '../../state/load';
import { may } from '../../state/session';
import { Empty } from '../empty';
import { Button, Table } from '../layout';
import { StatusPill } from '../status';
import { AlertName, contactName } from './alert-name';
import { DeliveryFacts, SendAgain } from './delivery-state';

const Kind = ({ of }: { of: Pick<AlertEvent, 'type'> }) =>
  of.type === 'triggered' ? <StatusPill status="down" word="Triggered" /> : <StatusPill status="up" word="Resolved" />;

/**
 * Events grouped by incident, newest first. While the page is open, new events appear at the top or join their
 * incident.
 */
export function EventFeed({ parameters }: { parameters: Record<string, string> }) {
  const version = useSignal(0);
  const fresh = useSignal<readonly string[]>([]);
  const opened = useSignal<readonly string[]>([]);
  const events = usePages<AlertEvent>(`/api/v1/alerts/events${query(parameters)}`, version.value);
  const reload = () => {
    version.value++;
  };
  useEffect(
    () =>
      listen({
        ready: reload,
        alert: (event) => {
          fresh.value = [...fresh.value, event.id];
          reload();
        },
      }),
    [],
  );
  const list = events.items.value;
  // Deliveries finish shortly after their event, but the live stream doesn't report it.
  useEvery(5, () => list?.some(({ delivery }) => delivery?.state === 'pending') && reload());

  if (!list) return <p class="muted">Loading…</p>;
  const toggle = (key: string, isOpen: boolean) => {
    const others = opened.value.filter((each) => each !== key);
    opened.value = isOpen ? [...others, key] : others;
  };
  return (
    <>
      {list.length === 0 && (
        <Empty drawing="calm">
          <p>No events yet.</p>
        </Empty>
      )}
      <ol class="feed" aria-label="Alert events">
        {byIncident(list).map((group) => {
          // The key is the oldest event, because newer events may join the group.
          const key = group.at(-1)?.id ?? '';
          return (
            <Incident
              key={key}
              events={group}
              isFresh={group.some(({ id }) => fresh.value.includes(id))}
              isOpen={opened.value.includes(key)}
              toggle={(isOpen) => toggle(key, isOpen)}
              reload={reload}
            />
          );
        })}
      </ol>
      {events.older && <Button onClick={events.older}>Older events</Button>}
    </>
  );
}

interface IncidentProps {
  events: readonly AlertEvent[];
  isFresh: boolean;
  isOpen: boolean;
  toggle: (isOpen: boolean) => void;
  reload: () => void;
}

/** An incident on one line. When expanded, it lists every event with its delivery state. */
function Incident({ events, isFresh, isOpen, toggle, reload }: IncidentProps) {
  const [newest] = events;
  if (!newest) return null;
  const alerts = new Set(events.map(({ alert_id }) => alert_id)).size;
  const endpoints = new Set(events.map(({ endpoint_id }) => endpoint_id)).size;
  const open = isStillOpen(events);
  const told = (open && events.find(({ type }) => type === 'triggered')) || newest;
  const isAnyLost = events.some(({ delivery }) => isLost(delivery ?? null));
  const whom = toldText(events);
  return (
    <li class={isFresh ? 'fresh' : ''}>
      <span>
        <Kind of={told} />
      </span>
      <div>
        <details open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
          <summary>{incidentLine(events, now.value)}</summary>
        </details>
        <p class="muted small">
          {endpoints === 1 ? (
            <>
              <a href={`#/endpoints/${newest.endpoint_id}`}>{newest.endpoint_name}</a> · {newest.website_name}
            </>
          ) : (
            count(endpoints, 'endpoint')
          )}
          {' · '}
          {newest.incident_id !== null && (
            <>
              <a href={`#/incidents/${newest.incident_id}`}>Incident</a>
              {' · '}
            </>
          )}
          {alerts > 1 ? count(alerts, 'alert') : channelName(newest.alert_type)}
          {told.reason !== 'threshold' && ` · ${told.reason}`}
          {endpoints === 1 && fromText(told.locations) !== '' && ` · ${fromText(told.locations)}`}
          {!open &&
            endpoints === 1 &&
            newest.duration_seconds !== null &&
            ` · lasted ${duration(newest.duration_seconds)}`}
        </p>
        {whom !== '' && <p class={isAnyLost ? 'small reason' : 'small'}>{whom}</p>}
        {isOpen && <Messages events={events} isOpen={open && endpoints === 1} reload={reload} />}
      </div>
      <span class="num muted">{time(newest.created_at, now.value)}</span>
    </li>
  );
}

/** The maximum number of events to list individually. */
const MOST = 40;

/**
 * Lists every event with its recipients and delivery states. While the incident is open, also shows who is notified
 * next.
 */
function Messages({ events, isOpen, reload }: { events: readonly AlertEvent[]; isOpen: boolean; reload: () => void }) {
  const [newest] = events;
  const path = `/api/v1/alerts?endpoint_id=${newest?.endpoint_id}`;
  const alerts = useLoad(`${path}/${newest?.id}`, (signal) => all<Alert>(path, signal));
  const contacts = useContacts();
  const byId = new Map(alerts.data.value?.map((alert) => [alert.id, alert]));
  const whom = ({ contact_id, type }: Alert) =>
    contact_id === null ? channelName(type) : contactName(contact_id, contacts.data.value);
  const next = isOpen ? toldNext(alerts.data.value ?? [], newest?.started_at ?? null) : [];
  return (
    <>
      <Table
        label="Messages for this incident"
        head={['Event', 'Alert rule', '~When', 'Message', '']}
        rows={events.slice(0, MOST).map((event) => {
          const alert = byId.get(event.alert_id);
          return [
            <Kind of={event} />,
            // A deleted alert is shown by its channel. If it belongs to another endpoint, that endpoint is named as
            // well.
            alert ? (
              <AlertName alert={alert} contacts={contacts.data.value} />
            ) : (
              <a href={`#/alerts/${event.alert_id}`}>
                {event.contact?.name ?? channelName(event.alert_type)}
                {event.endpoint_id !== newest?.endpoint_id && `, ${event.endpoint_name}`}
              </a>
            ),
            time(event.created_at, now.value),
            <DeliveryFacts of={event.delivery ?? null} />,
            may.write() && event.delivery && event.delivery.state !== 'pending' && (
              <SendAgain id={event.delivery.id} then={reload} />
            ),
          ];
        })}
      />
      {next.length > 0 && (
        <p class="small below">
          Next, if it continues:{' '}
          {next.map(({ alert, at }) => `${whom(alert)} at ${time(new Date(at).toISOString(), now.value)}`).join(', ')}
        </p>
      )}
    </>
  );
}
