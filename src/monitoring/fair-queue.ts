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

  clear(): T[] {
    const items = [...this.lines.values()].flat();
    this.lines.clear();
    this.count = 0;
    return items;
  }
}
