import { ByOwner } from './by-owner';
import { TokenBuckets } from './token-bucket';

/**
 * A client's network and the wider networks that contain it, narrowest first, as returned by `networksOf`. Per-address
 * limits count in each network. Otherwise, the owner of a /48 would have 65,536 times a client's share. An empty list
 * means that the client can't be distinguished from others, so no per-address limit applies.
 */
export type Networks = readonly string[];

/** The rate for each network width, as a multiple of the client's rate. */
const TIMES = [1, 10, 100];

export interface Rate {
  rate: number;
  burst: number;
}

/**
 * Token buckets per network. A client gets `rate` tokens per second. The two wider networks get 10 and 100 times as
 * many.
 */
export class NetworkBuckets {
  private readonly widths: readonly TokenBuckets[];

  constructor({ rate, burst }: Rate, monotonicMs: () => number) {
    this.widths = TIMES.map((times) => new TokenBuckets(rate * times, burst * times, monotonicMs));
  }

  /**
   * Takes `count` tokens and returns 0. If there aren't enough tokens, takes none and returns the seconds until there
   * are.
   */
  take(networks: Networks, count = 1): number {
    const wait = this.waitFor(networks, count);
    if (wait === 0) networks.forEach((network, width) => this.widths[width]?.take(network, count));
    return wait;
  }

  /**
   * Returns the seconds until `count` tokens are available, or 0 if they are available now. Doesn't take any tokens.
   */
  waitFor(networks: Networks, count = 1): number {
    return Math.max(0, ...networks.map((network, width) => this.widths[width]?.waitFor(network, count) ?? 0));
  }

  /** Puts back tokens that were taken but not used. */
  giveBack(networks: Networks, count = 1): void {
    networks.forEach((network, width) => this.widths[width]?.giveBack(network, count));
  }
}

/** The maximum share of the strangers' slots for each network width. */
const PARTS = [1 / 10, 1 / 4, 1 / 2];

/** Each network may take at least one slot. */
const partsOf = (size: number): number[] => PARTS.map((part) => Math.max(1, Math.floor(size * part)));

/** Slots for strangers. A client may take at most a tenth of them, and the two wider networks a quarter and a half. */
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
   * Returns why a client in these networks can't have a slot: all slots are taken (`strangers`), or the client's share
   * is used up (`address`). Returns `null` if a slot is available.
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
 * A waiting room for clients that keep the service waiting, such as clients that are sending a body. It never rejects a
 * new client. If the room or a network's share is full, the client that has waited the longest is removed, either from
 * that network or from the network with the most clients. This way, clients that stay long don't affect clients that
 * need only a moment.
 */
export class WaitingRoom {
  private readonly parts: readonly number[];
  /** Waiting clients by network, for each width. The client that has waited the longest comes first. */
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
   * Adds a client. `sendAway` is called if the client is removed. Returns a function to call when the client leaves.
   * Calling it again has no effect.
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

/** Cost: linear in the number of networks with waiting clients, which are few. */
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
