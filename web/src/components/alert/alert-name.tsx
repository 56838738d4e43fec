import type { Alert, Contact } from '../../api/types';
import { channelName } from '../../logic/channel-name';

interface Props {
  alert: Pick<Alert, 'id' | 'type' | 'contact_id' | 'destination'>;
  /** `undefined` until the contacts are loaded. */
  contacts: readonly Contact[] | undefined;
}

/** Returns a contact's name, or a generic word until the contacts are loaded. */
export const contactName = (id: string, contacts: readonly Contact[] | undefined): string =>
  contacts?.find((each) => each.id === id)?.name ?? 'a contact';

/**
 * Shows an alert rule's channel, with its contact and destination below. It is a single link, because two would be too
 * small to tap.
 */
export const AlertName = ({ alert: { id, type, contact_id, destination }, contacts }: Props) => (
  <>
    <a href={`#/alerts/${id}`}>{channelName(type)}</a>
    {(contact_id !== null || destination !== null) && (
      <p class="muted small">
        {[contact_id !== null && contactName(contact_id, contacts), destination].filter(Boolean).join(' · ')}
      </p>
    )}
  </>
);
