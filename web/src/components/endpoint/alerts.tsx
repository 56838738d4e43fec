import { all } from '../../api/client';
import type { Alert, Endpoint } from '../../api/types';
import { ruleText } from '../../logic/alert-rule';
import { useContacts } from '../../state/contacts';
import { useLoad } from '../../state/load';
import { may } from '../../state/session';
import { AlertName } from '../alert/alert-name';
import { AlertState } from '../alert/alert-state';
import { Section } from '../layout';

/** Who is notified of it, and when. */
export function Rules({ endpoint }: { endpoint: Endpoint }) {
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
