import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import type { Alert } from '../../api/types';
import { go } from '../../state/router';
import { errorMessage } from '../../state/toast';
import { Button } from '../layout';

/** An alert that a new endpoint was to get. */
export interface MissingAlert {
  contactId: string;
  name: string;
  /** Why it has none. */
  reason: string;
}

/** Gives an endpoint an alert through each contact, one after the other. Returns those that failed; never throws. */
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

/** Says of an endpoint that exists which alerts it has not got, and tries again. */
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
