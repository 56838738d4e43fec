import { ByOwner } from './by-owner';
import { TokenBuckets } from './token-bucket';

/**
 * A client's network and the wider ones that contain it, the narrowest first, as `networksOf` returns them. What counts by address
 * counts in each of them: whoever has a /48 would otherwise have 65,536 times the share of a client. None: nothing tells the client from others, and
 * no limit by address holds.
 */
export type Networks = readonly string[];

/** How many times the rate of a client a network of each width has. */
const TIMES = [1, 10, 100];

export interface Rate {
  rate: number;
  burst: number;
}

/** Token buckets by network: a client has `rate` tokens a second, the wider networks ten and a hundred times as many. */
export class NetworkBuckets {
  private readonly widths: readonly TokenBuckets[];

  constructor({ rate, burst }: Rate, monotonicMs: () => number) {
    this.widths = TIMES.map((times) => new TokenBuckets(rate * times, burst * times, monotonicMs));
  }

  /** 0 when `count` tokens were taken, otherwise the seconds until there are so many; then nothing is taken. */
  take(networks: Networks, count = 1): number {
    const wait = this.waitFor(networks, count);
    if (wait === 0) networks.forEach((network, width) => this.widths[width]?.take(network, count));
    return wait;
  }

  /** The seconds until `count` tokens could be taken; 0 when they could be now. Takes nothing. */
  waitFor(networks: Networks, count = 1): number {
    return Math.max(0, ...networks.map((network, width) => this.widths[width]?.waitFor(network, count) ?? 0));
  }

  /** Tokens that were taken and turned out not to be used. `of`: adds to the name of each network, where they were taken so. */
  giveBack(networks: Networks, count = 1): void {
    networks.forEach((network, width) => this.widths[width]?.giveBack(network, count));
  }
}

/** The most that a network of each width has of what strangers may hold together. */
const PARTS = [1 / 10, 1 / 4, 1 / 2];

/** One place is the least that anybody gets. */
const partsOf = (size: number): number[] => PARTS.map((part) => Math.max(1, Math.floor(size * part)));

/** Places of strangers: a tenth of them for one client, a quarter and a half for the wider networks. */
export class NetworkPlaces {
  private readonly widths: readonly ByOwner[];
  private taken = 0;

  constructor(private readonly size: number) {
    this.widths = partsOf(size).map((most) => new ByOwner(Infinity, most));
  }

  get used(): number {
    return this.taken;
  }

  /** What keeps a client of these networks from a place: that all are taken, or its share; `null` when nothing does. */
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
 * A room for clients that are waited for, such as those that send a body. It never refuses: when it is full, or a network has its
 * part of it, the one that has waited longest goes, of that network or of the one with the most. So whoever needs a moment is not
 * hit by those who stay.
 */
export class WaitingRoom {
  private readonly parts: readonly number[];
  /** By network of each width: the one that has waited longest comes first. */
  private readonly byNetwork = new Map<string, Set<Waiting>>();
  /** The widest network of each that waits, and all that wait there. */
  private readonly widest = new Map<string, Set<Waiting>>();
  private count = 0;

  constructor(private readonly size: number) {
    this.parts = partsOf(size);
  }

  get waiting(): number {
    return this.count;
  }

  /** `sendAway` is called when it has to go. Returns what to call when it leaves; later calls do nothing. */
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

/** Takes time for each network that waits, of which there are few. */
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
