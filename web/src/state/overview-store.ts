import { computed, signal } from '@preact/signals';
import { all, get, query } from '../api/client';
import type { Check, LatencyBucket, OverviewItem, StateChange } from '../api/types';
import { countsOf } from '../logic/overview-order';
import { reason } from './toast';

/** Every endpoint with its state, as last read and then kept current by the stream. */
export const items = signal<OverviewItem[] | null>(null);
export const overviewError = signal<string | null>(null);
export const counts = computed(() => countsOf(items.value ?? []));

/** One endpoint; asks for the overview when nobody has yet. */
export function itemOf(id: string): OverviewItem | undefined {
  if (items.value === null) void refresh();
  return items.value?.find((item) => item.id === id);
}

let running: Promise<void> | null = null;
let again = 0;

/** Reads the overview; calls during a running read share it. */
export function refresh(): Promise<void> {
  running ??= read().finally(() => {
    running = null;
  });
  return running;
}

async function read(): Promise<void> {
  try {
    items.value = await all<OverviewItem>('/api/v1/overview');
    overviewError.value = null;
  } catch (error) {
    overviewError.value = reason(error);
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

/** Shows a change at once, together with those that come in the same moment; the figures follow with the next read. */
export function apply(change: StateChange): void {
  if (changes.size === 0) setTimeout(applyAll, 50);
  changes.set(change.endpoint_id, change);
}

function applyAll(): void {
  items.value = items.value?.map((item) => changed(item, changes.get(item.id))) ?? null;
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

export function forget(): void {
  items.value = null;
}

/** Loads per endpoint what the overview does not hold, once per version and at most four at a time. */
class Details<T> {
  private readonly known = new Map<string, { version: string; data: ReturnType<typeof signal<T | undefined>> }>();

  constructor(private readonly load: (endpointId: string) => Promise<T>) {}

  /** What is known now; loads it when it is missing or of another version. Reading the signal re-renders on arrival. */
  of(endpointId: string, version: string): T | undefined {
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
    // A row without its sparkline or its tooltips is still a row; the next version tries again.
  } finally {
    active--;
    void drain();
  }
}

/** The newest 30 checks, oldest first. */
export const checksOf = new Details(async (id) =>
  (await get<Check[]>(`/api/v1/endpoints/${id}/checks?limit=30`)).reverse(),
);

/** Mean latencies of the last 24 hours by the hour. */
export const latencyOf = new Details(async (id) => {
  const to = new Date();
  const from = new Date(to.getTime() - 86_400_000);
  const buckets = await get<LatencyBucket[]>(
    `/api/v1/endpoints/${id}/latency${query({ from: from.toISOString(), to: to.toISOString(), step: 3600 })}`,
  );
  return buckets.map((bucket) => bucket.avg);
});
