import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all } from '../api/client';
import type { Alert, Contact, Delivery } from '../api/types';
import { AlertName, contactName } from '../components/alert/alert-name';
import { AlertState } from '../components/alert/alert-state';
import { AlertsHead } from '../components/alert/alerts-head';
import { DeliveryKind } from '../components/alert/delivery-kind';
import { DeliveryFacts, SendAgain } from '../components/alert/delivery-state';
import { EventFeed } from '../components/alert/event-feed';
import { TargetFilter } from '../components/alert/target-filter';
import { Empty } from '../components/empty';
import { EndpointName } from '../components/endpoint-name';
import { Select } from '../components/form/field';
import { Button, Data, Table } from '../components/layout';
import { inOrder } from '../logic/alert-draft';
import { contactFailsSince, isUnheard } from '../logic/alert-state';
import { ruleText } from '../logic/alert-rule';
import { channelName } from '../logic/channel-name';
import { eventRange } from '../logic/event-range';
import { count, time } from '../logic/format';
import { matching } from '../logic/chosen';
import { now } from '../state/clock';
import { useContacts } from '../state/contacts';
import { present } from '../state/deletion';
import { listen } from '../state/live';
import { useEvery, useLoad, usePages } from '../state/load';
import { itemOf } from '../state/overview-store';
import { route, setQuery } from '../state/router';
import { may } from '../state/session';

/** Returns the value of a filter in the URL. */
const filter = (name: string): string => route.value.query.get(name) ?? '';

const STATES: Record<string, (alert: Alert, contacts: readonly Contact[]) => boolean> = {
  triggered: (alert) => alert.triggered,
  trouble: isUnheard,
  off: (alert) => !alert.enabled,
};

/** How many rows to show at first, and how many each click adds. A table with a thousand rows is slow to draw. */
const ROWS = 100;

/** Returns the sort position: triggered alerts first, then those that don't reach anyone. */
const urgency = (alert: Alert, contacts: readonly Contact[]): number =>
  alert.triggered ? 2 : isUnheard(alert, contacts) ? 1 : 0;

/** Returns the text to search in. */
const searched = (alert: Alert, contacts: readonly Contact[]): string => {
  const item = itemOf(alert.endpoint_id);
  const contact = alert.contact_id === null ? '' : contactName(alert.contact_id, contacts);
  return [item?.name, item?.website.name, channelName(alert.type), contact, alert.destination, alert.description].join(
    ' ',
  );
};

/** The filter value for alert rules with their own settings. */
const OWN = 'none';

function chosen(list: readonly Alert[], contacts: readonly Contact[]): Alert[] {
  const [target, state, words, contact] = [filter('of'), STATES[filter('state')], filter('q'), filter('contact')];
  const wanted = list.filter(
    (alert) =>
      (target === '' || alert.endpoint_id === target || itemOf(alert.endpoint_id)?.website.id === target) &&
      (contact === '' || (alert.contact_id ?? OWN) === contact) &&
      (state?.(alert, contacts) ?? true),
  );
  const byId = new Map(wanted.map((alert) => [alert.id, alert]));
  return matching(
    wanted.map((alert) => [alert.id, searched(alert, contacts)]),
    words,
  )
    .flatMap(([id]) => byId.get(id) ?? [])
    .sort((a, b) => urgency(b, contacts) - urgency(a, contacts));
}

/** Filters by contact. Renders nothing if there is no contact. */
function ContactFilter({ contacts }: { contacts: readonly Contact[] }) {
  const value = filter('contact');
  if (contacts.length === 0 && value === '') return null;
  const isKnown = value === '' || value === OWN || contacts.some(({ id }) => id === value);
  return (
    <Select
      label="Contact"
      value={value}
      set={(contact) => setQuery({ contact })}
      options={[
        ['', 'Every contact'],
        ...(isKnown ? [] : [[value, 'Deleted contact'] as const]),
        ...inOrder(contacts).map(({ id, name }) => [id, name] as const),
        [OWN, 'No contact'],
      ]}
    />
  );
}

const ContactTrouble = ({ since }: { since: string | null }) =>
  since === null ? null : <p class="small reason">Its contact has been failing since {time(since, now.value)}</p>;

/** Lists every alert rule, whom it notifies, and whether that works. */
export function AlertRulesPage() {
  const alerts = useLoad('alerts', (signal) => all<Alert>('/api/v1/alerts', signal));
  const contacts = useContacts();
  const rows = useSignal(ROWS);
  const timer = useRef(0);
  useEffect(() => {
    // An outage of many endpoints triggers only one request. By then, most messages have been sent.
    const soon = () => {
      clearTimeout(timer.current);
      timer.current = window.setTimeout(alerts.reload, 1000);
    };
    const stop = listen({ alert: soon, ready: soon });
    return () => {
      clearTimeout(timer.current);
      stop();
    };
  }, []);
  useEvery(30, alerts.reload);
  return (
    <>
      <AlertsHead current="rules" />
      <Data of={alerts}>
        {(stored) => {
          const list = present(stored);
          if (list.length === 0)
            return (
              <Empty drawing="alert">
                <h2>No alert rules yet</h2>
                <p>An alert rule notifies you when an endpoint goes down and when it recovers.</p>
                {may.write() && (
                  <a class="button primary" href="#/alerts/new">
                    Add the first alert rule
                  </a>
                )}
              </Empty>
            );
          const found = chosen(list, contacts.data.value ?? []);
          return (
            <>
              <div class="filters">
                <input
                  type="search"
                  aria-label="Search alert rules"
                  placeholder="Search endpoint, contact, channel, destination"
                  value={filter('q')}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <TargetFilter value={filter('of')} set={(of) => setQuery({ of })} />
                <ContactFilter contacts={contacts.data.value ?? []} />
                <Select
                  label="State of the alert rule"
                  value={filter('state')}
                  set={(state) => setQuery({ state })}
                  options={[
                    ['', 'Every state'],
                    ['triggered', 'Triggered'],
                    ['trouble', 'Not delivering'],
                    ['off', 'Off'],
                  ]}
                />
              </div>
              <p class="muted small" role="status">
                {found.length === list.length
                  ? count(list.length, 'alert rule')
                  : `${found.length.toLocaleString('en')} of ${count(list.length, 'alert rule')}`}
              </p>
              {found.length > 0 && (
                <Table
                  label="Alert rules"
                  head={['State', 'Endpoint', 'Alert rule', 'Last message', '~Triggers', '~Description']}
                  rows={found.slice(0, rows.value).map((alert) => [
                    <AlertState alert={alert} contacts={contacts.data.value} />,
                    <a href={`#/endpoints/${alert.endpoint_id}`}>
                      <EndpointName id={alert.endpoint_id} />
                    </a>,
                    <AlertName alert={alert} contacts={contacts.data.value} />,
                    <>
                      <DeliveryFacts of={alert.last_delivery} />
                      <ContactTrouble since={contactFailsSince(alert, contacts.data.value)} />
                    </>,
                    ruleText(alert),
                    alert.description,
                  ])}
                />
              )}
              {found.length === 0 && (
                <div class="empty">
                  <p>No alert rules match.</p>
                  <Button onClick={() => setQuery({ q: null, of: null, contact: null, state: null })}>
                    Clear filters
                  </Button>
                </div>
              )}
              {found.length > rows.value && (
                <Button
                  onClick={() => {
                    rows.value += ROWS;
                  }}
                >
                  More alert rules
                </Button>
              )}
            </>
          );
        }}
      </Data>
    </>
  );
}

/** Lists triggered and resolved alerts by incident, newest first. */
export function AlertEventsPage() {
  const [of, type, range, incident_id] = [filter('of'), filter('type'), filter('range'), filter('incident')];
  return (
    <>
      <AlertsHead current="events" />
      <div class="filters">
        <TargetFilter value={of} set={(value) => setQuery({ of: value })} />
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
        <Select
          label="Time"
          value={range}
          set={(value) => setQuery({ range: value })}
          options={[
            ['', 'Any time'],
            ['today', 'Today'],
            ['night', 'Last night'],
            ['week', '7 days'],
            ['month', '30 days'],
          ]}
        />
        {incident_id !== '' && (
          <>
            <Button onClick={() => setQuery({ incident: null })}>All incidents</Button>
            <a class="button" href={`#/incidents/${incident_id}`}>
              Open the incident
            </a>
          </>
        )}
      </div>
      <EventFeed
        parameters={{
          type,
          incident_id,
          ...eventRange(range, now.value),
          [of.startsWith('ws_') ? 'website_id' : 'endpoint_id']: of,
        }}
      />
    </>
  );
}

/** The endpoint that a message reports, or the contact that it reports as failing. */
function About({ of: { endpoint_id, endpoint_name, contact_id } }: { of: Delivery }) {
  if (endpoint_id !== null) return <a href={`#/endpoints/${endpoint_id}`}>{endpoint_name}</a>;
  return contact_id === null ? <>–</> : <a href={`#/contacts/${contact_id}`}>Contact</a>;
}

/** Lists the messages that didn't reach anyone, newest first. */
export function FailedDeliveriesPage() {
  const version = useSignal(0);
  const reload = () => {
    version.value++;
  };
  const deliveries = usePages<Delivery>('/api/v1/deliveries?state=failed', version.value);
  useEffect(() => listen({ ready: reload, alert: reload }), []);
  const list = deliveries.items.value;
  return (
    <>
      <AlertsHead current="failed" />
      {!list && <p class="muted">Loading…</p>}
      {list?.length === 0 && (
        <Empty drawing="calm">
          <p>Every message was delivered or is still being retried.</p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label="Messages that failed"
          head={['Endpoint', 'Alert rule', '~Kind', 'Error', '']}
          rows={list.map((delivery) => [
            <About of={delivery} />,
            delivery.alert_id === null ? (
              channelName(delivery.channel_type)
            ) : (
              <a href={`#/alerts/${delivery.alert_id}`}>{channelName(delivery.channel_type)}</a>
            ),
            <DeliveryKind of={delivery} />,
            <DeliveryFacts of={{ ...delivery, at: delivery.last_attempt_at ?? delivery.created_at }} />,
            may.write() && <SendAgain id={delivery.id} then={reload} />,
          ])}
        />
      )}
      {deliveries.older && <Button onClick={deliveries.older}>Older messages</Button>}
    </>
  );
}
