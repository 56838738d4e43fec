import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, post } from '../api/client';
import { loadDocument } from '../api/document';
import type { Alert, Contact, Delivery } from '../api/types';
import { AlertForm } from '../components/alert/alert-form';
import { contactName } from '../components/alert/alert-name';
import { AlertState } from '../components/alert/alert-state';
import { DeliveryKind } from '../components/alert/delivery-kind';
import { DeliveryState, SendAgain } from '../components/alert/delivery-state';
import { EventFeed } from '../components/alert/event-feed';
import { EndpointName } from '../components/endpoint-name';
import { Generated, keepGenerated } from '../components/form/generated';
import { Button, Data, Facts, Head, Section, Table } from '../components/layout';
import { ruleText } from '../logic/alert-rule';
import { channelName } from '../logic/channel-name';
import { configSchemas, type ConfigValue } from '../logic/config-schema';
import { count, time } from '../logic/format';
import { now } from '../state/clock';
import { useContacts } from '../state/contacts';
import { deleteLater } from '../state/deletion';
import { listen } from '../state/live';
import { forget } from '../state/drafts';
import { useEvery, useLoad, usePages } from '../state/load';
import { go } from '../state/router';
import { may } from '../state/session';
import { runAction, showToast } from '../state/toast';

/** Opens a new alert rule and keeps its generated secrets. */
function created(alert: Alert, sent: ConfigValue): void {
  if (alert.contact_id === null) keepGenerated(alert, sent);
  showToast('The alert rule is active.');
  go(`/alerts/${alert.id}`);
}

/** The page for an alert rule: its form, its deliveries, and its events. */
export function AlertPage({ id }: { id: string | null }) {
  const path = `/api/v1/alerts/${id}`;
  const loaded = useLoad(path, (abort) =>
    Promise.all([id === null ? null : get<Alert>(path, abort), loadDocument().then(configSchemas)]),
  );
  const contacts = useContacts();
  const version = useSignal(0);
  useEffect(() => listen({ alert: (event) => event.alert_id === id && loaded.reload() }), [id]);
  const sendTest = () =>
    runAction(async () => {
      const delivery = await post<Delivery>(`${path}/test`);
      version.value++;
      if (delivery.state === 'delivered') showToast('The test message was delivered.');
      else showToast(`The test message was not delivered: ${delivery.error ?? delivery.state}`, 'bad');
    });
  const destroy = () => {
    deleteLater([{ path, name: 'The alert rule' }], 'The alert rule is deleted. Past events are kept.');
    forget(`/alerts/${id}`);
    go('/alerts');
  };
  return (
    <Data of={loaded}>
      {([alert, schemas]) => (
        <>
          <Head
            parent={['#/alerts', 'Alerts']}
            owner={alert?.owner}
            title={alert ? `${channelName(alert.type)} alert rule` : 'New alert rule'}
            actions={
              alert &&
              may.write() && (
                <>
                  <Button class="primary" onClick={sendTest}>
                    Send a test
                  </Button>
                  <Button class="danger" onClick={destroy}>
                    Delete
                  </Button>
                </>
              )
            }
          >
            {alert && (
              <p>
                <AlertState alert={alert} contacts={contacts.data.value} /> for{' '}
                <a href={`#/endpoints/${alert.endpoint_id}`}>
                  <EndpointName id={alert.endpoint_id} />
                </a>
                <Notifies alert={alert} contacts={contacts.data.value} />
              </p>
            )}
          </Head>
          <Generated id={id} />
          {may.write() ? (
            <>
              {contacts.error.value !== null && (
                <p class="notice warn">Could not load the contacts: {contacts.error.value}</p>
              )}
              {contacts.data.value || contacts.error.value !== null ? (
                <AlertForm
                  of={alert}
                  schemas={schemas}
                  contacts={contacts.data.value ?? []}
                  onSaved={alert ? loaded.reload : created}
                />
              ) : (
                <p class="muted">Loading…</p>
              )}
            </>
          ) : (
            <Facts
              of={[
                ['Alert rule', alert ? ruleText(alert) : 'You have read-only access.'],
                ['Description', alert?.description],
                ...Object.entries(alert?.config ?? {}).map(([key, value]) => [key, JSON.stringify(value)] as const),
              ]}
            />
          )}
          {alert && (
            <>
              <Section title="Deliveries">
                <Deliveries alertId={alert.id} version={version.value} />
              </Section>
              <Section title="Events">
                <EventFeed parameters={{ alert_id: alert.id }} />
              </Section>
            </>
          )}
        </>
      )}
    </Data>
  );
}

/** Shows text such as ` · notifies hooks.slack.com through Operations`. */
function Notifies({ alert, contacts }: { alert: Alert; contacts: readonly Contact[] | undefined }) {
  const { contact_id: id, destination } = alert;
  if (id === null) return destination === null ? null : <> · notifies {destination}</>;
  return (
    <>
      {' '}
      · notifies {destination} through <a href={`#/contacts/${id}`}>{contactName(id, contacts)}</a>
    </>
  );
}

function Deliveries({ alertId, version }: { alertId: string; version: number }) {
  const again = useSignal(0);
  const reload = () => {
    again.value++;
  };
  const deliveries = usePages<Delivery>(`/api/v1/alerts/${alertId}/deliveries?limit=20`, `${version}/${again.value}`);
  useEvery(5, reload);
  useEffect(() => listen({ alert: reload }), []);
  const list = deliveries.items.value ?? [];
  if (list.length === 0) return <p class="muted">Nothing has been sent yet.</p>;
  return (
    <>
      <Table
        label="Deliveries"
        head={['State', 'Kind', 'Last attempt', 'Response', '']}
        rows={list.map((delivery) => [
          <DeliveryState of={delivery} />,
          <DeliveryKind of={delivery} />,
          <>
            {delivery.last_attempt_at === null ? '–' : time(delivery.last_attempt_at, now.value)}
            <span class="muted small"> · {count(delivery.attempts, 'attempt')}</span>
          </>,
          <>
            {delivery.error ?? (delivery.response_status === null ? '–' : `accepted, ${delivery.response_status}`)}
            {delivery.state === 'pending' &&
              delivery.next_attempt_at !== null &&
              ` · next attempt ${time(delivery.next_attempt_at, now.value)}`}
          </>,
          may.write() && delivery.state !== 'pending' && delivery.kind !== 'test' && (
            <SendAgain id={delivery.id} then={reload} />
          ),
        ])}
      />
      {deliveries.older && <Button onClick={deliveries.older}>Older deliveries</Button>}
    </>
  );
}
