import { computed, signal } from '@preact/signals';
import { all, get } from '../api/client';
import type { AcknowledgementChange, Check, OverviewItem, StateChange, Website } from '../api/types';
import { countsOf } from '../logic/overview-order';
import { present } from './deletion';
import { errorMessage } from './toast';

const foundItems = signal<OverviewItem[] | null>(null);
const foundWebsites = signal<Website[] | null>(null);
/** Every endpoint as last read, kept current by the live stream; `null` until the first read. */
export const items = computed(() => foundItems.value && present(foundItems.value));
/** Every website as last read; `null` until the first read. */
export const websites = computed(() => foundWebsites.value && present(foundWebsites.value));
/** Mean latency of each endpoint in the last 24 full hours, oldest first. */
export const hourlyLatency = signal<ReadonlyMap<string, (number | null)[]>>(new Map());
/** Why the last read failed. */
export const overviewError = signal<string | null>(null);
/** Number of endpoints by status. */
export const counts = computed(() => countsOf(items.value ?? []));

/** One endpoint; loads the overview if that has not happened yet. */
export function itemOf(id: string): OverviewItem | undefined {
  if (items.value === null) void refresh();
  return items.value?.find((item) => item.id === id);
}

/** The name of an endpoint, or of a website that has one; its id until the overview is loaded. */
export const nameOf = (id: string): string =>
  itemOf(id)?.name ?? items.value?.find(({ website }) => website.id === id)?.website.name ?? id;

/** The tags of a website, which its endpoints have too; none until the websites are read. */
export const tagsOf = (websiteId: string): readonly string[] =>
  websites.value?.find(({ id }) => id === websiteId)?.tags ?? [];

/** Reads the websites. They change rarely and by people: not with every read of the overview. */
export async function refreshWebsites(): Promise<void> {
  try {
    foundWebsites.value = await all<Website>('/api/v1/websites');
  } catch (error) {
    overviewError.value = errorMessage(error);
  }
}

let running: Promise<void> | null = null;
let again = 0;

/** Reads the overview; calls during a read share it. */
export function refresh(): Promise<void> {
  running ??= read().finally(() => {
    running = null;
  });
  return running;
}

/** The latency by the hour is a third of the response and changes once an hour: it is asked for this often. */
const LATENCY_EVERY_MS = 300_000;
let latencyAt = -Infinity;

async function read(): Promise<void> {
  const isDue = Date.now() - latencyAt >= LATENCY_EVERY_MS;
  try {
    const found = await all<OverviewItem>(`/api/v1/overview${isDue ? '?latency=hourly' : ''}`);
    foundItems.value = found;
    if (isDue) {
      hourlyLatency.value = new Map(found.map(({ id, latency_24h }) => [id, latency_24h ?? []]));
      latencyAt = Date.now();
    }
    overviewError.value = null;
  } catch (error) {
    overviewError.value = errorMessage(error);
  }
}

/** Reads again soon; many changes within a second cause one read. */
export function refreshSoon(): void {
  if (again !== 0) return;
  again = window.setTimeout(() => {
    again = 0;
    void refresh();
  }, 1000);
}

const changes = new Map<string, StateChange>();

/** Shows a change of status at once; changes within 50 ms render together. Uptime and latency follow with the next read. */
export function applyChange(change: StateChange): void {
  if (changes.size === 0) setTimeout(applyAll, 50);
  changes.set(change.endpoint_id, change);
}

function applyAll(): void {
  foundItems.value = foundItems.value?.map((item) => changed(item, changes.get(item.id))) ?? null;
  changes.clear();
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

/** Shows that somebody has an endpoint in hand, or no longer. */
export function applyAcknowledgement({ endpoint_id, acknowledgement }: AcknowledgementChange): void {
  foundItems.value =
    foundItems.value?.map((item) => (item.id === endpoint_id ? { ...item, acknowledgement } : item)) ?? null;
}

/** Drops the data on signing out. */
export function clearOverview(): void {
  queue.length = 0;
  foundItems.value = null;
  foundWebsites.value = null;
  latencyAt = -Infinity;
}

/** Data per endpoint beyond the overview: loaded once per version, at most four requests at a time. */
class EndpointDetails<T> {
  private readonly known = new Map<string, { version: string; data: ReturnType<typeof signal<T | undefined>> }>();

  constructor(private readonly load: (endpointId: string) => Promise<T>) {}

  /** What is loaded now. Starts a load when it is of another version; the caller renders again when that arrives. */
  read(endpointId: string, version: string): T | undefined {
    let entry = this.known.get(endpointId);
    if (!entry) this.known.set(endpointId, (entry = { version: '', data: signal<T | undefined>(undefined) }));
    if (entry.version !== version) {
      entry.version = version;
      const { data } = entry;
      enqueue(async () => {
        data.value = await this.load(endpointId);
      });
    }
    return entry.data.value;
  }

  /** What is loaded now. */
  peek(endpointId: string): T | undefined {
    return this.known.get(endpointId)?.data.value;
  }
}

const queue: (() => Promise<void>)[] = [];
let active = 0;

function enqueue(work: () => Promise<void>): void {
  queue.push(work);
  void drain();
}

async function drain(): Promise<void> {
  if (active >= 4) return;
  const work = queue.pop();
  if (!work) return;
  active++;
  try {
    await work();
  } catch {
    // A row without its tooltips is still a row; the next version tries again.
  } finally {
    active--;
    void drain();
  }
}

/** The newest 30 checks, oldest first. */
export const recentChecks = new EndpointDetails(async (id) =>
  (await get<Check[]>(`/api/v1/endpoints/${id}/checks?limit=30`)).reverse(),
);
