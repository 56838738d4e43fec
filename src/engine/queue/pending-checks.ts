import type { FinishedCheck } from '../finished-check';
import { sharesOf } from '../../platform/capacity/by-owner';

/**
 * The outcome of recording. `dropped` means that the endpoint was deleted, paused, or changed, the slot was already
 * recorded, or the database rejects the result. `given_up` means that there was no room for it.
 */
export type Recorded = 'recorded' | 'dropped' | 'given_up';

/** A result that waits to be written. */
export interface PendingCheck {
  check: FinishedCheck;
  /** When the result was added, in monotonic milliseconds. */
  addedAt: number;
  /** How long the result may wait before its batch is written. */
  maxAgeMs: number;
  /** False if the result can't change an alert, because all results before it were successes. */
  affectsState: boolean;
  /** Whether a client waits for the result. For the client, it counts as recorded once its history is written. */
  isAwaited?: boolean;
  /** Called with the check as it was recorded. */
  resolve?: ((recorded: Recorded, check: FinishedCheck) => void) | undefined;
}

/** One endpoint's waiting results, oldest first. */
interface EndpointPending {
  readonly id: string;
  readonly org: OrgPending;
  results: PendingCheck[];
  /** The number of results that may change something. */
  changing: number;
  /**
   * If true, no result may be taken, because earlier results are being written or another session has locked the
   * endpoint's rows.
   */
  isHeld: boolean;
  /** Whether results were put back. If so, the endpoint is the first in its organization when it is released. */
  hasReturned: boolean;
  /** The list that the endpoint is in, and how many of its results are counted there. */
  listed: Ready | null;
  listedCount: number;
}

/** Endpoints whose results may be taken, longest waiting first, and their number of results. */
interface Ready {
  endpoints: Map<string, EndpointPending>;
  count: number;
}

interface OrgPending {
  /** Endpoints with a result that may change something. All their results are taken before others. */
  readonly changing: Ready;
  readonly quiet: Ready;
  /** The number of waiting results, including results of held endpoints, and how many of them change nothing. */
  count: number;
  quietCount: number;
}

/**
 * The results that wait to be written. Each endpoint's results are kept in order. When a result that may change
 * something is taken, the endpoint's earlier results are taken with it. While some are being written, no later one is
 * taken. The cost of adding doesn't depend on the number of waiting results. The cost of taking only depends on the
 * number taken.
 */
export class PendingChecks {
  private readonly endpoints = new Map<string, EndpointPending>();
  private readonly orgs = new Map<string, OrgPending>();
  private count = 0;
  private quietCount = 0;

  /** The number of waiting results, excluding results that were taken and not put back. */
  get size(): number {
    return this.count;
  }

  /** The number of results that may be taken now. */
  get ready(): number {
    let ready = 0;
    for (const { changing, quiet } of this.orgs.values()) ready += changing.count + quiet.count;
    return ready;
  }

  /** The number of results that may be taken and belong to an endpoint where one may change something. */
  get changing(): number {
    let changing = 0;
    for (const org of this.orgs.values()) changing += org.changing.count;
    return changing;
  }

  /** When the oldest result was added, or `null` if no result waits. Cost: a scan of all endpoints with results. */
  get oldestAt(): number | null {
    let oldest = Infinity;
    for (const { results } of this.endpoints.values()) oldest = Math.min(oldest, results[0]?.addedAt ?? Infinity);
    return oldest === Infinity ? null : oldest;
  }

  /** The shortest waiting time among results that may be taken, or `null` if there are none. */
  get shortestAgeMs(): number | null {
    let shortest = Infinity;
    for (const { changing, quiet } of this.orgs.values())
      for (const ready of [changing, quiet])
        for (const { results } of ready.endpoints.values())
          for (const { maxAgeMs } of results) shortest = Math.min(shortest, maxAgeMs);
    return shortest === Infinity ? null : shortest;
  }

  add(entry: PendingCheck): void {
    const endpoint = this.endpointOf(entry.check);
    endpoint.results.push(entry);
    this.counted(endpoint, [entry], 1);
    this.relist(endpoint);
  }

  /**
   * Takes at most `mostChanging` results from endpoints where one may change something, then others up to a total of
   * `size`. Each organization gets the same number as long as it has results, so that one organization's backlog
   * doesn't delay others. The endpoints are held until they are released.
   */
  take(size: number, mostChanging: number = size): PendingCheck[] {
    const changing = this.takeKind('changing', mostChanging);
    const quiet = this.takeKind('quiet', Math.max(0, size - changing.length));
    return quiet.length === 0 ? changing : [...changing, ...quiet];
  }

  /** Returns results to their old position, before their endpoints' later results. Doesn't release any endpoint. */
  putBack(entries: readonly PendingCheck[]): void {
    const returned = new Map<EndpointPending, PendingCheck[]>();
    for (const entry of entries) {
      const endpoint = this.endpointOf(entry.check);
      const list = returned.get(endpoint);
      if (list) list.push(entry);
      else returned.set(endpoint, [entry]);
    }
    for (const [endpoint, list] of returned) {
      endpoint.results = [...list, ...endpoint.results];
      endpoint.hasReturned = true;
      this.counted(endpoint, list, 1);
      this.relist(endpoint);
    }
  }

  /** Releases endpoints. Results that were put back come before all other waiting results. */
  release(endpointIds: Iterable<string>): void {
    const first = new Map<Ready, EndpointPending[]>();
    for (const id of endpointIds) {
      const endpoint = this.endpoints.get(id);
      if (!endpoint?.isHeld) continue;
      endpoint.isHeld = false;
      this.relist(endpoint);
      const { listed, hasReturned } = endpoint;
      endpoint.hasReturned = false;
      if (!hasReturned || !listed) continue;
      const others = first.get(listed);
      if (others) others.push(endpoint);
      else first.set(listed, [endpoint]);
    }
    for (const [ready, endpoints] of first)
      ready.endpoints = new Map([...endpoints.map((one) => [one.id, one] as const), ...ready.endpoints]);
  }

  /** Removes and returns all waiting results of an endpoint. */
  extract(endpointId: string): PendingCheck[] {
    const endpoint = this.endpoints.get(endpointId);
    return endpoint ? this.shorten(endpoint, endpoint.results.length) : [];
  }

  /**
   * Removes and returns up to `count` of the oldest results of the organization with the most results. Only takes
   * results that change nothing, as long as any organization has one. Cost: a scan of all endpoints with results.
   */
  giveUp(count: number): PendingCheck[] {
    const onlyQuiet = this.quietCount > 0;
    let most: OrgPending | undefined;
    const sizeOf = (org: OrgPending): number => (onlyQuiet ? org.quietCount : org.count);
    for (const org of this.orgs.values()) if (most === undefined || sizeOf(org) > sizeOf(most)) most = org;
    const candidates: PendingCheck[] = [];
    for (const { org, results } of this.endpoints.values())
      if (org === most) for (const entry of results) if (!onlyQuiet || !entry.affectsState) candidates.push(entry);
    const given = candidates.sort((a, b) => a.addedAt - b.addedAt).slice(0, count);
    this.remove(given);
    return given;
  }

  /** Removes and returns results that were added before this time. Cost: a scan of all endpoints with results. */
  expire(before: number): PendingCheck[] {
    const expired = [...this.endpoints.values()].flatMap(({ results }) =>
      results.filter(({ addedAt }) => addedAt < before),
    );
    if (expired.length > 0) this.remove(expired);
    return expired;
  }

  /** Whether any unchanged results are waiting. They could be dropped without losing a change. */
  get hasQuiet(): boolean {
    return this.quietCount > 0;
  }

  private remove(entries: readonly PendingCheck[]): void {
    const gone = new Set(entries);
    for (const id of new Set(entries.map(({ check }) => check.endpointId))) {
      const endpoint = this.endpoints.get(id);
      if (!endpoint) continue;
      this.counted(
        endpoint,
        endpoint.results.filter((entry) => gone.has(entry)),
        -1,
      );
      endpoint.results = endpoint.results.filter((entry) => !gone.has(entry));
      this.relist(endpoint);
    }
  }

  private takeKind(kind: 'changing' | 'quiet', size: number): PendingCheck[] {
    const wanted = new Map<OrgPending, number>();
    for (const org of this.orgs.values()) if (org[kind].count > 0) wanted.set(org, org[kind].count);
    const taken: PendingCheck[] = [];
    for (const [org, share] of sharesOf(wanted, size)) {
      let left = share;
      for (const endpoint of org[kind].endpoints.values()) {
        if (left === 0) break;
        const some = this.shorten(endpoint, Math.min(left, endpoint.results.length), true);
        left -= some.length;
        for (const entry of some) taken.push(entry);
      }
    }
    return taken;
  }

  /** Takes an endpoint's oldest `count` results. If `holds` is true, the endpoint is held from then on. */
  private shorten(endpoint: EndpointPending, count: number, holds = false): PendingCheck[] {
    const taken = endpoint.results.splice(0, count);
    this.counted(endpoint, taken, -1);
    if (holds) endpoint.isHeld = true;
    this.relist(endpoint);
    return taken;
  }

  private endpointOf({ endpointId, orgId }: FinishedCheck): EndpointPending {
    const known = this.endpoints.get(endpointId);
    if (known) return known;
    const org = this.orgs.get(orgId) ?? {
      changing: { endpoints: new Map(), count: 0 },
      quiet: { endpoints: new Map(), count: 0 },
      count: 0,
      quietCount: 0,
    };
    this.orgs.set(orgId, org);
    const counts = { changing: 0, listed: null, listedCount: 0 };
    const endpoint = { id: endpointId, org, results: [], isHeld: false, hasReturned: false, ...counts };
    this.endpoints.set(endpointId, endpoint);
    return endpoint;
  }

  private counted(endpoint: EndpointPending, entries: readonly PendingCheck[], sign: 1 | -1): void {
    let changing = 0;
    for (const { affectsState } of entries) if (affectsState) changing++;
    const [all, quiet] = [sign * entries.length, sign * (entries.length - changing)];
    endpoint.changing += sign * changing;
    endpoint.org.count += all;
    endpoint.org.quietCount += quiet;
    this.count += all;
    this.quietCount += quiet;
  }

  /** Moves the endpoint to the right list after each change. It keeps its position if the list is the same. */
  private relist(endpoint: EndpointPending): void {
    const { id, org, results, changing, isHeld, listed } = endpoint;
    const kind = changing > 0 ? org.changing : org.quiet;
    const now = isHeld || results.length === 0 ? null : kind;
    if (listed) listed.count -= endpoint.listedCount;
    if (listed !== now) listed?.endpoints.delete(id);
    if (now) now.count += results.length;
    if (listed !== now) now?.endpoints.set(id, endpoint);
    endpoint.listed = now;
    endpoint.listedCount = results.length;
    if (results.length > 0 || isHeld) return;
    this.endpoints.delete(id);
    if (this.endpoints.size === 0) this.orgs.clear();
  }
}
