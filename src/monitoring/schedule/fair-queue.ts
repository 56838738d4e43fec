/** A queue that serves its owners in turn: the backlog of one does not delay the others. */
export class FairQueue<T> {
  private readonly queues = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(owner: string, item: T): void {
    const queue = this.queues.get(owner);
    if (queue) queue.push(item);
    else this.queues.set(owner, [item]);
    this.count++;
  }

  /** The oldest item of the owner whose turn it is. */
  take(): T | undefined {
    for (const [owner, queue] of this.queues) {
      const item = queue.shift();
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      if (item !== undefined) {
        this.count--;
        return item;
      }
    }
    return undefined;
  }

  /** All waiting items, in no particular order. */
  items(): T[] {
    return [...this.queues.values()].flat();
  }

  clear(): T[] {
    const items = this.items();
    this.queues.clear();
    this.count = 0;
    return items;
  }
}

/**
 * The owners that hold more than an equal share of `room`; none while less than three quarters of it are taken. A lone
 * owner's share is a half, so that an owner who arrives later goes first.
 */
export function beyondShare(held: Iterable<string>, room: number): string[] {
  const counts = new Map<string, number>();
  let total = 0;
  for (const owner of held) {
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
    total++;
  }
  if (total * 4 <= room * 3) return [];
  const share = room / Math.max(2, counts.size);
  return [...counts].flatMap(([owner, count]) => (count > share ? [owner] : []));
}
