import { useEffect } from 'preact/hooks';
import { all, get } from '../../api/client';
import type { Alert, Delivery, Endpoint } from '../../api/types';
import { ruleText } from '../../logic/alert-rule';
import { channelName } from '../../logic/channel-name';
import { time } from '../../logic/format';
import { now } from '../../state/clock';
import { useContacts } from '../../state/contacts';
import { present } from '../../state/deletion';
import { listen } from '../../state/live';
import { useEvery, useLoad } from '../../state/load';
import { may } from '../../state/session';
import { AlertName } from '../alert/alert-name';
import { AlertState } from '../alert/alert-state';
import { DeliveryKind } from '../alert/delivery-kind';
import { DeliveryState } from '../alert/delivery-state';
import { Section } from '../layout';

/** Lists who is notified about the endpoint, and when. */
export function Rules({ endpoint }: { endpoint: Endpoint }) {
  const path = `/api/v1/alerts?endpoint_id=${endpoint.id}`;
  const alerts = useLoad(path, (signal) => all<Alert>(path, signal));
  const contacts = useContacts(alerts.data.value?.some(({ contact_id }) => contact_id !== null) ?? false);
  return (
    <Section title="Alert rules">
      {alerts.data.value?.length === 0 && <p class="muted">No alert rules. No one is notified when this goes down.</p>}
      <ul class="feed">
        {present(alerts.data.value ?? []).map((alert) => (
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
            Add an alert rule
          </a>
          <a class="button" href={`#/escalation/${endpoint.id}`}>
            Escalation
          </a>
        </p>
      )}
    </Section>
  );
}

/**
 * Lists the newest messages from the endpoint's alerts: what they reported, who received them, and whether they
 * arrived.
 */
export function Deliveries({ endpointId }: { endpointId: string }) {
  const path = `/api/v1/endpoints/${endpointId}/deliveries?limit=10`;
  const deliveries = useLoad(path, (signal) => get<Delivery[]>(path, signal));
  useEvery(10, deliveries.reload);
  useEffect(
    () => listen({ alert: ({ endpoint_id }) => endpoint_id === endpointId && deliveries.reload() }),
    [endpointId],
  );
  return (
    <Section title="Latest deliveries">
      {deliveries.data.value?.length === 0 && <p class="muted">Nothing has been sent yet.</p>}
      <ol class="feed" aria-label="Latest deliveries">
        {deliveries.data.value?.map((delivery) => (
          <li key={delivery.id}>
            <span>{time(delivery.created_at, now.value)}</span>
            <span>
              <DeliveryKind of={delivery} /> to <Recipient of={delivery} />
              {delivery.error !== null && <p class="small reason">{delivery.error}</p>}
            </span>
            <DeliveryState of={delivery} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The contact that a message was sent to, or the alert rule if it has no contact. */
const Recipient = ({ of: { contact, alert_id: alert, channel_type: type } }: { of: Delivery }) =>
  contact === null ? (
    <a href={`#/alerts/${alert}`}>{channelName(type)}</a>
  ) : (
    <>
      <a href={`#/contacts/${contact.id}`}>{contact.name}</a> <span class="muted">({channelName(type)})</span>
    </>
  );
