import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import type { Alert } from '../../api/types';
import { go } from '../../state/router';
import { errorMessage } from '../../state/toast';
import { Button } from '../layout';

/** An alert rule that couldn't be created for a new endpoint. */
export interface MissingAlert {
  contactId: string;
  name: string;
  reason: string;
}

/**
 * Creates an alert rule for an endpoint through each contact, one at a time. Returns those that failed. Never throws.
 */
export async function giveAlerts(
  endpointId: string,
  contacts: readonly Pick<MissingAlert, 'contactId' | 'name'>[],
): Promise<MissingAlert[]> {
  const missing: MissingAlert[] = [];
  for (const { contactId, name } of contacts) {
    try {
      await post<Alert>('/api/v1/alerts', { endpoint_id: endpointId, contact_id: contactId });
    } catch (error) {
      missing.push({ contactId, name, reason: errorMessage(error) });
    }
  }
  return missing;
}

/** Lists the alert rules that couldn't be created for an endpoint, and lets the user retry. */
export function MissingAlerts({ id, name, of }: { id: string; name: string; of: readonly MissingAlert[] }) {
  const missing = useSignal(of);
  const isBusy = useSignal(false);
  const again = async () => {
    isBusy.value = true;
    missing.value = await giveAlerts(id, missing.value);
    isBusy.value = false;
    if (missing.value.length === 0) go(`/endpoints/${id}`);
  };
  return (
    <div class="notice warn" role="alert">
      <p>
        <strong>{name} is monitored, but some of its alert rules could not be created:</strong>
      </p>
      <ul>
        {missing.value.map((each) => (
          <li key={each.contactId}>
            {each.name}: {each.reason}
          </li>
        ))}
      </ul>
      <p class="actions">
        <Button class="primary" disabled={isBusy.value} onClick={again}>
          Try again
        </Button>
        <a class="button" href={`#/endpoints/${id}`}>
          Open {name}
        </a>
      </p>
    </div>
  );
}
