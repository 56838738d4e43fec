import { useEffect } from 'preact/hooks';
import { all } from '../api/client';
import type { Alert } from '../api/types';
import { AlertState, thresholdsOf } from '../components/alert/alert-state';
import { EventFeed } from '../components/alert/event-feed';
import { EndpointName } from '../components/endpoint-name';
import { Select } from '../components/form/field';
import { Icon } from '../components/icons';
import { Data, Head, Table, Tabs } from '../components/layout';
import { listen } from '../state/live';
import { useLoad } from '../state/load';
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

/** Every alert rule, the triggered ones first. */
export function AlertRulesPage() {
  const alerts = useLoad('alerts', (signal) => all<Alert>('/api/v1/alerts', signal));
  useEffect(() => listen({ alert: alerts.reload, ready: alerts.reload }), []);
  return (
    <>
      <AlertsHead current="rules" />
      <Data of={alerts}>
        {(list) =>
          list.length === 0 ? (
            <p class="empty">No rules yet. An alert notifies you when an endpoint goes down, and when it is back up.</p>
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
                  thresholdsOf(alert),
                  alert.description,
                ])}
            />
          )
        }
      </Data>
    </>
  );
}

/** What triggered and resolved, newest first. */
export function AlertEventsPage() {
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
