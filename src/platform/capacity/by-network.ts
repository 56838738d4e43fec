import { ByOwner } from './by-owner';
import { TokenBuckets } from './token-bucket';

/**
 * A client's network and the wider networks that contain it, the narrowest first, as `networksOf` returns them. Limits
 * by address count in each of them. Otherwise the owner of a /48 would have 65,536 times the share of a client. An
 * empty list means that the client can't be distinguished from others, and no limit by address applies.
 */
export type Networks = readonly string[];

/** The rate of a network of each width, as a multiple of the client's rate. */
const TIMES = [1, 10, 100];

export interface Rate {
  rate: number;
  burst: number;
}

/**
 * Token buckets by network. A client gets `rate` tokens per second, the wider networks ten and a hundred times as many.
 */
export class NetworkBuckets {
  private readonly widths: readonly TokenBuckets[];

  constructor({ rate, burst }: Rate, monotonicMs: () => number) {
    this.widths = TIMES.map((times) => new TokenBuckets(rate * times, burst * times, monotonicMs));
  }

  /**
   * Takes `count` tokens and returns 0. If there are too few, takes nothing and returns the seconds until there are
   * enough.
   */
  take(networks: Networks, count = 1): number {
    const wait = this.waitFor(networks, count);
    if (wait === 0) networks.forEach((network, width) => this.widths[width]?.take(network, count));
    return wait;
  }

  /** Returns the seconds until `count` tokens are available, or 0 if they are available now. Takes nothing. */
  waitFor(networks: Networks, count = 1): number {
    return Math.max(0, ...networks.map((network, width) => this.widths[width]?.waitFor(network, count) ?? 0));
  }

  /** Returns tokens that were taken but not used. */
  giveBack(networks: Networks, count = 1): void {
    networks.forEach((network, width) => this.widths[width]?.giveBack(network, count));
  }
}

/** The maximum share of a network of each width in the strangers' places. */
const PARTS = [1 / 10, 1 / 4, 1 / 2];

/** Everyone gets at least one place. */
const partsOf = (size: number): number[] => PARTS.map((part) => Math.max(1, Math.floor(size * part)));

/** The places of strangers. One client gets at most a tenth of them, the wider networks a quarter and a half. */
export class NetworkPlaces {
  private readonly widths: readonly ByOwner[];
  private taken = 0;

  constructor(private readonly size: number) {
    this.widths = partsOf(size).map((most) => new ByOwner(Infinity, most));
  }

  get used(): number {
    return this.taken;
  }

  /**
   * Returns why a client of these networks gets no place: all are taken (`strangers`), or its share is (`address`).
   * Returns `null` if a place is available.
   */
  fullFor(networks: Networks): 'strangers' | 'address' | null {
    if (this.taken >= this.size) return 'strangers';
    return networks.every((network, width) => this.widths[width]?.hasShareFor(network)) ? null : 'address';
  }

  take(networks: Networks): void {
    networks.forEach((network, width) => this.widths[width]?.take(network));
    this.taken++;
  }

  release(networks: Networks): void {
    networks.forEach((network, width) => this.widths[width]?.release(network));
    this.taken--;
  }
}

interface Waiting {
  networks: Networks;
  sendAway: () => void;
}

/**
 * A room for clients that the service waits for, such as clients that send a body. It never refuses a client. If the
 * room or a network's share is full, the longest waiting client is removed, from that network or from the one with the
 * most. So clients that stay long don't affect clients that need only a moment.
 */
export class WaitingRoom {
  private readonly parts: readonly number[];
  /** Waiting clients by network of every width, the longest waiting first. */
  private readonly byNetwork = new Map<string, Set<Waiting>>();
  /** Waiting clients by their widest network. */
  private readonly widest = new Map<string, Set<Waiting>>();
  private count = 0;

  constructor(private readonly size: number) {
    this.parts = partsOf(size);
  }

  get waiting(): number {
    return this.count;
  }

  /**
   * Adds a client. `sendAway` is called if it is removed. Returns a function to call when it leaves. Later calls do
   * nothing.
   */
  enter(networks: Networks, sendAway: () => void): () => void {
    networks.forEach((network, width) => {
      const present = this.byNetwork.get(network);
      if (present && present.size >= (this.parts[width] ?? 1)) this.remove(first(present), 'away');
    });
    if (this.count >= this.size) this.remove(first(largest(this.widest)), 'away');
    const waiting: Waiting = { networks, sendAway };
    for (const network of networks) added(this.byNetwork, network, waiting);
    added(this.widest, networks.at(-1) ?? '', waiting);
    this.count++;
    return () => this.remove(waiting, 'left');
  }

  private remove(waiting: Waiting | undefined, how: 'left' | 'away'): void {
    const widest = waiting?.networks.at(-1) ?? '';
    if (!waiting || this.widest.get(widest)?.has(waiting) !== true) return;
    for (const network of waiting.networks) removed(this.byNetwork, network, waiting);
    removed(this.widest, widest, waiting);
    this.count--;
    if (how === 'away') waiting.sendAway();
  }
}

const first = <T>(set: ReadonlySet<T> | undefined): T | undefined => set?.values().next().value;

/** Cost: linear in the number of waiting networks, of which there are few. */
function largest<T>(sets: ReadonlyMap<string, Set<T>>): Set<T> | undefined {
  let most: Set<T> | undefined;
  for (const set of sets.values()) if (set.size > (most?.size ?? 0)) most = set;
  return most;
}

function added<T>(sets: Map<string, Set<T>>, key: string, item: T): void {
  const present = sets.get(key);
  if (present) present.add(item);
  else sets.set(key, new Set([item]));
}

function removed<T>(sets: Map<string, Set<T>>, key: string, item: T): void {
  const present = sets.get(key);
  present?.delete(item);
  if (present?.size === 0) sets.delete(key);
}
