import { signal } from '@preact/signals';
import { page } from '../api/client';
import type { Incident } from '../api/types';

/** The maximum number of incidents to load. The rest are only counted. */
const MOST = 100;

/** The open incidents, as of the last load, newest first. `null` until the first load. */
export const openIncidents = signal<Incident[] | null>(null);
export const openCount = signal(0);

let running: Promise<void> | null = null;
let again = 0;

/** Loads the open incidents. If that fails, the old list is kept, because the pages with lists report the error. */
export function refreshIncidents(): Promise<void> {
  running ??= page<Incident>(`/api/v1/incidents?state=open&limit=${MOST}`)
    .then(
      ({ items, total }) => {
        openIncidents.value = items;
        openCount.value = total ?? items.length;
      },
      () => undefined,
    )
    .finally(() => {
      running = null;
    });
  return running;
}

/** Reloads the list soon. Several changes within a second result in one request. */
export function refreshIncidentsSoon(): void {
  if (again !== 0) return;
  again = window.setTimeout(() => {
    again = 0;
    void refreshIncidents();
  }, 500);
}

export function clearIncidents(): void {
  openIncidents.value = null;
  openCount.value = 0;
}
