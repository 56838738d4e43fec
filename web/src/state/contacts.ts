import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all } from '../api/client';
import type { Contact } from '../api/types';
import { present } from './deletion';
import { type Loaded, useLoad } from './load';

/**
 * Every contact by name, read again when one comes back to the window: a contact may have been made in another one.
 * Without `isNeeded` nothing is read, and there are none.
 */
export function useContacts(isNeeded = true): Loaded<Contact[]> {
  const contacts = useLoad(`contacts/${isNeeded}`, (signal) =>
    isNeeded ? all<Contact>('/api/v1/contacts', signal) : Promise.resolve([]),
  );
  useEffect(() => {
    const again = () => {
      if (!document.hidden && isNeeded) contacts.reload();
    };
    document.addEventListener('visibilitychange', again);
    return () => document.removeEventListener('visibilitychange', again);
  }, [isNeeded]);
  const shown = useComputed(() => contacts.data.value && present(contacts.data.value));
  return { ...contacts, data: shown };
}
