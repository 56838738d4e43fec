import type { Contact } from '../../api/types';
import { unreached } from '../../logic/contact-state';
import { count, duration } from '../../logic/format';
import { now } from '../../state/clock';

/** Warns that messages to contacts aren't arriving, so that no one is notified about problems. */
export function FailingContacts({ contacts }: { contacts: readonly Contact[] }) {
  const [longest, ...others] = unreached(contacts, now.value);
  if (!longest) return null;
  return (
    <p class="notice warn" role="status">
      {others.length > 0 && (
        <>
          <a href="#/contacts">{count(others.length + 1, 'contact')}</a> cannot be reached.{' '}
        </>
      )}
      {longest.cannot_send !== null || longest.failing_since === null ? (
        <>
          <a href={`#/contacts/${longest.id}`}>{longest.name}</a> cannot be reached. {longest.cannot_send}
        </>
      ) : (
        <>
          Messages to <a href={`#/contacts/${longest.id}`}>{longest.name}</a> have been failing for{' '}
          {duration((now.value - Date.parse(longest.failing_since)) / 1000)}.
        </>
      )}
    </p>
  );
}
