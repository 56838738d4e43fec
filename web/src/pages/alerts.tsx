import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all, query } from '../api/client';
import type { Alert, AlertEvent } from '../api/types';
import { now } from '../state/clock';
import { count, duration, time } from '../logic/format';
import { listen } from '../state/live';
import { useLoad, usePages } from '../state/load';
import { itemOf } from '../state/overview-store';
import { AlertState } from '../components/alert-state';
import { Select } from '../components/form/field';
import { Icon } from '../components/icons';
import { Button, Data, Head, Table, Tabs } from '../components/layout';
import { StatusPill } from '../components/status';
import { route, setQuery } from '../state/router';
import { may } from '../state/session';

const AlertsHead = ({ current }: { current: string }) => (
  <>
    <Head
      title="Alerts"
      actions={
        may.write() && (
          <a class="button primary" href="#/alerts/new">
            <Icon name="plus" /> New alert
          </a>
        )
      }
    />
    <Tabs
      label="Alerts"
      current={current}
      tabs={[
        ['rules', 'Rules', '#/alerts'],
        ['events', 'Events', '#/alerts/events'],
      ]}
    />
  </>
);

/** `after 3 failures, resolved after 2 successes`. */
export const thresholds = (alert: Alert): string =>
  `after ${count(alert.failure_threshold, 'failure')}, resolved after ${count(alert.success_threshold, 'success', 'successes')}`;

/** An endpoint by the name people know it by. */
export function EndpointName({ id }: { id: string }) {
  const item = itemOf(id);
  return <>{item ? `${item.name} · ${item.website.name}` : id}</>;
}

export function AlertRules() {
  const alerts = useLoad('alerts', (signal) => all<Alert>('/api/v1/alerts', signal));
  useEffect(() => listen({ alert: alerts.reload, ready: alerts.reload }), []);
  return (
    <>
      <AlertsHead current="rules" />
      <Data of={alerts}>
        {(list) =>
          list.length === 0 ? (
            <p class="empty">No rule yet. An alert tells somebody when an endpoint goes down, and when it is back.</p>
          ) : (
            <Table
              label="Alert rules"
              head={['State', 'Endpoint', 'Channel', '~Triggers', '~Description']}
              rows={list
                .sort((a, b) => Number(b.triggered) - Number(a.triggered))
                .map((alert) => [
                  <AlertState alert={alert} />,
                  <a href={`#/alerts/${alert.id}`}>
                    <EndpointName id={alert.endpoint_id} />
                  </a>,
                  alert.type,
                  thresholds(alert),
                  alert.description,
                ])}
            />
          )
        }
      </Data>
    </>
  );
}

export function AlertEvents() {
  const type = route.value.query.get('type') ?? '';
  return (
    <>
      <AlertsHead current="events" />
      <div class="filters">
        <Select
          label="Kind of event"
          value={type}
          set={(value) => setQuery({ type: value })}
          options={[
            ['', 'All events'],
            ['triggered', 'Triggered only'],
            ['resolved', 'Resolved only'],
          ]}
        />
      </div>
      <EventFeed parameters={{ type }} />
    </>
  );
}

/** Events, newest first, that grow at the top while the page is open. */
export function EventFeed({ parameters }: { parameters: Record<string, string> }) {
  const version = useSignal(0);
  const fresh = useSignal<readonly string[]>([]);
  const events = usePages<AlertEvent>(`/api/v1/alerts/events${query(parameters)}`, version.value);
  useEffect(() => {
    const reload = () => {
      version.value++;
    };
    return listen({
      ready: reload,
      alert: (event) => {
        fresh.value = [...fresh.value, event.id];
        reload();
      },
    });
  }, []);

  const list = events.items.value;
  if (!list) return <p class="muted">Loading…</p>;
  return (
    <>
      {list.length === 0 && <p class="empty">Nothing has happened.</p>}
      <ol class="feed" aria-label="Alert events">
        {list.map((event) => (
          <li key={event.id} class={fresh.value.includes(event.id) ? 'fresh' : ''}>
            <span>
              <StatusPill
                status={event.type === 'triggered' ? 'down' : 'up'}
                word={event.type === 'triggered' ? 'Triggered' : 'Resolved'}
              />
            </span>
            <div>
              <p>
                <strong>{event.message}</strong>
              </p>
              <p class="muted small">
                <a href={`#/endpoints/${event.endpoint_id}`}>{event.endpoint_name}</a> · {event.website_name} ·{' '}
                {event.alert_type}
                {event.reason !== 'threshold' && ` · ${event.reason}`}
                {event.duration_seconds !== null && ` · lasted ${duration(event.duration_seconds)}`} ·{' '}
                <a href={`#/alerts/${event.alert_id}`}>rule and deliveries</a>
              </p>
            </div>
            <span class="num muted">{time(event.created_at, now.value)}</span>
          </li>
        ))}
      </ol>
      {events.older && <Button act={events.older}>Older events</Button>}
    </>
  );
}
