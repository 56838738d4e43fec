/** A map of at most `max` entries: beyond that, the least recently used one is evicted. `max` may change at any time. */
export class BoundedMap<K, V> extends Map<K, V> {
  constructor(public max: number) {
    super();
  }

  /** Counts as a use; `has` and iterating do not. Iteration goes from the least to the most recently used. */
  override get(key: K): V | undefined {
    const value = super.get(key);
    if (value !== undefined) this.moveToEnd(key, value);
    return value;
  }

  override set(key: K, value: V): this {
    this.moveToEnd(key, value);
    if (this.size > this.max) this.evict();
    return this;
  }

  // Only when the map is full: an iterator walks over all entries that were moved or deleted since the last rehash.
  private evict(): void {
    for (const oldest of this.keys()) {
      if (this.size <= this.max) break;
      this.delete(oldest);
    }
  }

  private moveToEnd(key: K, value: V): void {
    this.delete(key);
    super.set(key, value);
  }
}
