/** A queue that serves its owners in turn: a long line of one does not keep the others waiting. */
export class FairQueue<T> {
  private readonly lines = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(owner: string, item: T): void {
    const line = this.lines.get(owner);
    if (line) line.push(item);
    else this.lines.set(owner, [item]);
    this.count++;
  }

  /** The oldest item of the owner whose turn it is. */
  take(): T | undefined {
    for (const [owner, line] of this.lines) {
      const item = line.shift();
      this.lines.delete(owner);
      if (line.length > 0) this.lines.set(owner, line);
      if (item !== undefined) {
        this.count--;
        return item;
      }
    }
    return undefined;
  }

  /** What waits, in no order. */
  items(): T[] {
    return [...this.lines.values()].flat();
  }

  clear(): T[] {
    const items = this.items();
    this.lines.clear();
    this.count = 0;
    return items;
  }
}

/**
 * The owners that hold more than their equal share of `room` places, of which three quarters are taken or asked for. A lone
 * owner's share is a half, so that somebody who comes can be let in first.
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
