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

  /** The oldest item of the owner whose turn it is, among those that `mayHave` allows; the others keep their turn. */
  take(mayHave: (owner: string) => boolean = () => true): T | undefined {
    for (const [owner, queue] of this.queues) {
      if (!mayHave(owner)) continue;
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
