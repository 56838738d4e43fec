import { signal } from '@preact/signals';
import { page } from '../api/client';
import type { Incident } from '../api/types';

/** So many are known here; the rest is counted. */
const MOST = 100;

/** The open incidents, newest first, as last read; `null` until then. */
export const openIncidents = signal<Incident[] | null>(null);
/** How many are open. */
export const openCount = signal(0);

let running: Promise<void> | null = null;
let again = 0;

/** Reads what is open. What cannot be read stays as it is: the lists say why. */
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

/** Reads it again soon; many changes within a second cause one read. */
export function refreshIncidentsSoon(): void {
  if (again !== 0) return;
  again = window.setTimeout(() => {
    again = 0;
    void refreshIncidents();
  }, 500);
}

/** Drops the data on signing out. */
export function clearIncidents(): void {
  openIncidents.value = null;
  openCount.value = 0;
}
