interface Entry<K, V> {
  key: K;
  value: V;
  weight: number;
  /** The next less recently used entry. */
  older: Entry<K, V> | null;
  /** The next more recently used entry. */
  newer: Entry<K, V> | null;
}

/**
 * A limit by weight instead of number: how to weigh an entry when it is set (usually in bytes), and the maximum total.
 */
export interface WeightLimit<K, V> {
  max: number;
  of: (value: V, key: K) => number;
}

/**
 * A map with at most `max` entries. If `weights` is set, their total weight is at most `weights.max`. Above a limit,
 * the least recently used entries are evicted. An entry that is heavier than the limit isn't kept. `max` may change at
 * any time.
 *
 * Every operation takes constant time. A linked list tracks the order of use. If a `Map` tracked it by moving entries,
 * it would have to skip the gaps that they leave.
 */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private oldest: Entry<K, V> | null = null;
  private newest: Entry<K, V> | null = null;
  private totalWeight = 0;

  constructor(
    public max: number,
    private readonly weights: WeightLimit<K, V> = { max: Infinity, of: () => 0 },
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** The total weight of all entries, or 0 without a weight limit. */
  get weight(): number {
    return this.totalWeight;
  }

  /** Returns whether the key exists. This does not count as a use. */
  has(key: K): boolean {
    return this.entries.has(key);
  }

  /** Returns the value for the key. This counts as a use. */
  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.use(entry);
    return entry.value;
  }

  set(key: K, value: V): this {
    const known = this.entries.get(key);
    const weight = this.weights.of(value, key);
    if (weight > this.weights.max) {
      this.delete(key);
      return this;
    }
    this.totalWeight += weight - (known?.weight ?? 0);
    if (known) {
      known.value = value;
      known.weight = weight;
      this.use(known);
    } else {
      const entry = { key, value, weight, older: null, newer: null };
      this.entries.set(key, entry);
      this.append(entry);
    }
    while ((this.entries.size > this.max || this.totalWeight > this.weights.max) && this.oldest)
      this.delete(this.oldest.key);
    return this;
  }

  delete(key: K): boolean {
    const entry = this.entries.get(key);
    if (!entry) return false;
    this.unlink(entry);
    this.totalWeight -= entry.weight;
    return this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.oldest = this.newest = null;
    this.totalWeight = 0;
  }

  /** Iterates from the least to the most recently used entry. This does not count as a use. */
  *[Symbol.iterator](): IterableIterator<[K, V]> {
    for (let entry = this.oldest; entry; entry = entry.newer) yield [entry.key, entry.value];
  }

  private use(entry: Entry<K, V>): void {
    if (entry === this.newest) return;
    this.unlink(entry);
    this.append(entry);
  }

  private append(entry: Entry<K, V>): void {
    entry.older = this.newest;
    entry.newer = null;
    if (this.newest) this.newest.newer = entry;
    else this.oldest = entry;
    this.newest = entry;
  }

  private unlink({ older, newer }: Entry<K, V>): void {
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
  }
}
