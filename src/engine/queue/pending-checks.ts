import type { FinishedCheck } from '../finished-check';
import { sharesOf } from '../../platform/capacity/by-owner';

/**
 * `dropped`: the endpoint is deleted, paused or changed by now, the slot was recorded before, or the database refuses the result.
 * `given_up`: there was no room for it.
 */
export type Recorded = 'recorded' | 'dropped' | 'given_up';

/** A result that waits to be written. */
export interface PendingCheck {
  check: FinishedCheck;
  /** Monotonic milliseconds. */
  addedAt: number;
  /** How long it may wait before its batch is written. */
  maxAgeMs: number;
  /** False when it cannot change an alert: it follows on successes only. */
  affectsState: boolean;
  /** A client waits for it: it is recorded for the client when its history is written. */
  isAwaited?: boolean;
  resolve?: ((recorded: Recorded) => void) | undefined;
}

/** The results of one endpoint that wait, oldest first. */
interface EndpointPending {
  readonly id: string;
  readonly org: OrgPending;
  results: PendingCheck[];
  /** How many of them may change something. */
  changing: number;
  /** Nothing is taken: earlier results are being written, or another session has locked its rows. */
  isHeld: boolean;
  /** Results were put back: it is the first of its organization's when it is released. */
  hasReturned: boolean;
  /** Where it is listed, and with how many results. */
  listed: Ready | null;
  listedCount: number;
}

/** Endpoints of which results may be taken, the one that waits longest first, and how many results they have. */
interface Ready {
  endpoints: Map<string, EndpointPending>;
  count: number;
}

interface OrgPending {
  /** Endpoints with a result that may change something: all their results are taken before those of the others. */
  readonly changing: Ready;
  readonly quiet: Ready;
  /** All that wait, also of endpoints that are held, and those of them that change nothing. */
  count: number;
  quietCount: number;
}

/**
 * The results that wait to be written. Those of one endpoint keep their order: a result that may change something takes
 * the earlier ones of its endpoint with it, and while some are being written no later one is taken. Adding costs the
 * same however many wait; taking costs what it takes.
 */
export class PendingChecks {
  private readonly endpoints = new Map<string, EndpointPending>();
  private readonly orgs = new Map<string, OrgPending>();
  private count = 0;
  private quietCount = 0;

  /** All that wait; not those that were taken and not put back. */
  get size(): number {
    return this.count;
  }

  /** Those that may be taken now. */
  get ready(): number {
    let ready = 0;
    for (const { changing, quiet } of this.orgs.values()) ready += changing.count + quiet.count;
    return ready;
  }

  /** Those of them that belong to an endpoint where one may change something. */
  get changing(): number {
    let changing = 0;
    for (const org of this.orgs.values()) changing += org.changing.count;
    return changing;
  }

  /** When the oldest was added; `null` when none waits. Costs a walk over all endpoints with results. */
  get oldestAt(): number | null {
    let oldest = Infinity;
    for (const { results } of this.endpoints.values()) oldest = Math.min(oldest, results[0]?.addedAt ?? Infinity);
    return oldest === Infinity ? null : oldest;
  }

  /** The shortest time that one of those that may be taken may wait; `null` when there are none. */
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
   * Takes first at most `mostChanging` results of endpoints where one may change something, then others up to `size` in all.
   * Of each organization equally many as long as it has some, so that the backlog of one delays none of the others.
   * The endpoints are held until they are released.
   */
  take(size: number, mostChanging: number = size): PendingCheck[] {
    const changing = this.takeKind('changing', mostChanging);
    const quiet = this.takeKind('quiet', Math.max(0, size - changing.length));
    return quiet.length === 0 ? changing : [...changing, ...quiet];
  }

  /** Returns results that were taken to where they were: before the later ones of their endpoints. Releases nothing. */
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

  /** What was put back comes before what else waits. */
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

  /** Removes and returns all that waits of an endpoint. */
  extract(endpointId: string): PendingCheck[] {
    const endpoint = this.endpoints.get(endpointId);
    return endpoint ? this.shorten(endpoint, endpoint.results.length) : [];
  }

  /**
   * Removes and returns the oldest `count` results, or fewer, of the organization that has most: of those that change
   * nothing as long as one of these waits. Costs a walk over all endpoints with results.
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

  /** Removes and returns what was added before that moment. Costs a walk over all endpoints with results. */
  expire(before: number): PendingCheck[] {
    const expired = [...this.endpoints.values()].flatMap(({ results }) =>
      results.filter(({ addedAt }) => addedAt < before),
    );
    if (expired.length > 0) this.remove(expired);
    return expired;
  }

  /** Quiet ones wait: some could be given up without losing anything that changes. */
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

  /** Takes the oldest `count` results of an endpoint, which is held from then on when `holds`. */
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

  /** After each change: lists the endpoint where it belongs now. It keeps its turn as long as that is the same list. */
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
