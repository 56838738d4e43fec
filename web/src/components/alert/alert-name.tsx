import type { Alert, Contact } from '../../api/types';
import { channelName } from '../../logic/channel-name';

interface Props {
  alert: Pick<Alert, 'id' | 'type' | 'contact_id' | 'destination'>;
  /** As far as they are known. */
  contacts: readonly Contact[] | undefined;
}

/** The name of a contact; in general words while it is not known. */
export const contactName = (id: string, contacts: readonly Contact[] | undefined): string =>
  contacts?.find((each) => each.id === id)?.name ?? 'a contact';

/** An alert by its channel, and below it whom that notifies: the contact, and where. One link: two would be too low to hit. */
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
