import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all } from '../api/client';
import type { Contact } from '../api/types';
import { present } from './deletion';
import { type Loaded, useLoad } from './load';

/**
 * Returns all contacts, sorted by name. Reloads them when the window receives the focus, because one may have been
 * created in another window. Without `isNeeded`, nothing is loaded and the list is empty.
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
