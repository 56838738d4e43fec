import { unreached } from '../../logic/contact-state';
import { count, duration } from '../../logic/format';
import { now } from '../../state/clock';
import { useContacts } from '../../state/contacts';
import { useEvery } from '../../state/load';

/** A line while messages to contacts do not arrive: nobody is told of what the overview shows. Nothing otherwise. */
export function FailingContacts() {
  const contacts = useContacts();
  useEvery(300, contacts.reload);
  const [longest, ...others] = unreached(contacts.data.value ?? [], now.value);
  if (!longest?.failing_since) return null;
  return (
    <p class="notice warn" role="status">
      {others.length > 0 && (
        <>
          <a href="#/contacts">{count(others.length + 1, 'contact')}</a> cannot be reached.{' '}
        </>
      )}
      Messages to <a href={`#/contacts/${longest.id}`}>{longest.name}</a> have been failing for{' '}
      {duration((now.value - Date.parse(longest.failing_since)) / 1000)}.
    </p>
  );
}
