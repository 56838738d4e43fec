import { computed, signal } from '@preact/signals';
import { all } from '../api/client';
import type { AcknowledgementChange, OverviewItem, StateChange, Website } from '../api/types';
import { countsOf } from '../logic/overview-order';
import { present } from './deletion';
import { errorMessage } from './toast';

const foundItems = signal<OverviewItem[] | null>(null);
const foundWebsites = signal<Website[] | null>(null);
/** Every endpoint, as of the last load and live updates since then. `null` until the first load. */
export const items = computed(() => foundItems.value && present(foundItems.value));
/** Every website, as of the last load. `null` until the first load. */
export const websites = computed(() => foundWebsites.value && present(foundWebsites.value));
/** Each endpoint's mean latency per hour over the last 24 full hours, oldest first. */
export const hourlyLatency = signal<ReadonlyMap<string, (number | null)[]>>(new Map());
/** Each endpoint's last 48 half hours, as one letter each. The overview's description has their meaning. */
export const halfHours = signal<ReadonlyMap<string, string>>(new Map());
/** Why the last load failed. */
export const overviewError = signal<string | null>(null);
export const counts = computed(() => countsOf(items.value ?? []));

/** Returns an endpoint. Loads the overview if it isn't loaded yet. */
export function itemOf(id: string): OverviewItem | undefined {
  if (items.value === null) void refresh();
  return items.value?.find((item) => item.id === id);
}

/** Returns the name of an endpoint, or of a website that has endpoints. Returns the ID until the overview is loaded. */
export const nameOf = (id: string): string =>
  itemOf(id)?.name ?? items.value?.find(({ website }) => website.id === id)?.website.name ?? id;

/** Returns a website's tags, which also apply to its endpoints. Empty until the websites are loaded. */
export const tagsOf = (websiteId: string): readonly string[] =>
  websites.value?.find(({ id }) => id === websiteId)?.tags ?? [];

/** Loads the websites. They rarely change, so they aren't reloaded with the overview each time. */
export async function refreshWebsites(): Promise<void> {
  try {
    foundWebsites.value = await all<Website>('/api/v1/websites');
  } catch (error) {
    overviewError.value = errorMessage(error);
  }
}

let running: Promise<void> | null = null;
let again = 0;

/** Loads the overview. Calls made during a load share its result. */
export function refresh(): Promise<void> {
  running ??= read().finally(() => {
    running = null;
  });
  return running;
}

/**
 * How often the last day of each endpoint is loaded. It makes up a third of the response and changes slowly. It is also
 * loaded after a change of status.
 */
const DAY_EVERY_MS = 300_000;
let dayAt = -Infinity;

async function read(): Promise<void> {
  const isDue = Date.now() - dayAt >= DAY_EVERY_MS;
  try {
    const found = await all<OverviewItem>(`/api/v1/overview${isDue ? '?latency=hourly&history=half_hours' : ''}`);
    foundItems.value = found;
    if (isDue) {
      hourlyLatency.value = new Map(found.map(({ id, latency_24h }) => [id, latency_24h ?? []]));
      halfHours.value = new Map(found.map(({ id, half_hours }) => [id, half_hours ?? '']));
      dayAt = Date.now();
    }
    overviewError.value = null;
  } catch (error) {
    overviewError.value = errorMessage(error);
  }
}

/** Reloads the overview soon. Several changes within a second result in one request. */
export function refreshSoon(): void {
  if (again !== 0) return;
  again = window.setTimeout(() => {
    again = 0;
    void refresh();
  }, 1000);
}

const changes = new Map<string, StateChange>();

/**
 * Shows a status change immediately. Changes within 50 ms are rendered together. Uptime and latency are updated by the
 * next load.
 */
export function applyChange(change: StateChange): void {
  if (changes.size === 0) setTimeout(applyAll, 50);
  changes.set(change.endpoint_id, change);
}

function applyAll(): void {
  foundItems.value = foundItems.value?.map((item) => changed(item, changes.get(item.id))) ?? null;
  changes.clear();
  dayAt = -Infinity;
  refreshSoon();
}

const changed = (item: OverviewItem, change: StateChange | undefined): OverviewItem =>
  !change || item.status === 'paused'
    ? item
    : {
        ...item,
        status: change.status,
        status_since: change.checked_at,
        last_checked_at: change.checked_at,
        last_error: change.error?.code ?? null,
        recent: [...item.recent, change.status].slice(-30),
      };

export function applyAcknowledgement({ endpoint_id, acknowledgement }: AcknowledgementChange): void {
  foundItems.value =
    foundItems.value?.map((item) => (item.id === endpoint_id ? { ...item, acknowledgement } : item)) ?? null;
}

export function clearOverview(): void {
  foundItems.value = null;
  foundWebsites.value = null;
  dayAt = -Infinity;
}
