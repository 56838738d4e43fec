import { all } from '../../api/client';
import type { Contact } from '../../api/types';
import { worstFirst } from '../../logic/contact-state';
import { duration } from '../../logic/format';
import { now } from '../../state/clock';
import { useEvery, useLoad } from '../../state/load';

/** A line while messages to a contact have not arrived for days: nobody sees there what the overview shows. Nothing otherwise. */
export function FailingContacts() {
  const contacts = useLoad('contacts/failing', (signal) => all<Contact>('/api/v1/contacts?failing=true', signal));
  useEvery(300, contacts.reload);
  const [longest, ...others] = worstFirst(contacts.data.value ?? []);
  if (!longest?.failing_since) return null;
  return (
    <p class="notice warn" role="status">
      Messages to <a href={`#/contacts/${longest.id}`}>{longest.name}</a> have been failing for{' '}
      {duration((now.value - Date.parse(longest.failing_since)) / 1000)}.{' '}
      {others.length > 0 && <a href="#/contacts">{others.length} more</a>}
    </p>
  );
}
