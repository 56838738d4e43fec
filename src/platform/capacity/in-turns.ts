import type { Owner } from './by-owner';

/** A queue that serves owners in turn, so that one owner's backlog doesn't delay the others. */
export class InTurns<Item, Key extends Owner = Owner> {
  private readonly queues = new Map<Key, Item[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  sizeOf(owner: Key): number {
    return this.queues.get(owner)?.length ?? 0;
  }

  push(owner: Key, item: Item): void {
    const queue = this.queues.get(owner);
    if (queue) queue.push(item);
    else this.queues.set(owner, [item]);
    this.count++;
  }

  /**
   * Returns the oldest item of the owner whose turn it is, limited to owners that `mayHave` allows. The others keep
   * their turn.
   */
  take(mayHave: (owner: Key) => boolean = () => true): Item | undefined {
    for (const [owner, queue] of this.queues) {
      if (!mayHave(owner)) continue;
      const item = queue.shift();
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      this.count--;
      return item;
    }
    return undefined;
  }

  /**
   * If the owner with the most items has more than `most`, removes that owner's newest item. Cost: linear in the number
   * of owners.
   */
  takeNewestOfLargest(most: number): Item | undefined {
    let largest: Key | undefined;
    let size = most;
    for (const [owner, queue] of this.queues) if (queue.length > size) [largest, size] = [owner, queue.length];
    const queue = largest === undefined ? undefined : this.queues.get(largest);
    const item = queue?.pop();
    if (largest === undefined || !queue || item === undefined) return undefined;
    this.count--;
    if (queue.length === 0) this.queues.delete(largest);
    return item;
  }

  /** Removes an item that is no longer waiting. Cost: linear in the number of items before it. */
  remove(owner: Key, item: Item): void {
    const queue = this.queues.get(owner);
    const index = queue?.indexOf(item) ?? -1;
    if (!queue || index < 0) return;
    queue.splice(index, 1);
    this.count--;
    if (queue.length === 0) this.queues.delete(owner);
  }

  /** Removes and returns all items, in no particular order. */
  clear(): Item[] {
    const items = [...this.queues.values()].flat();
    this.queues.clear();
    this.count = 0;
    return items;
  }
}
