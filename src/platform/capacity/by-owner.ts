/** Counts what each holder has open: at most `most`. Holders without anything are forgotten. */
export class Shares {
  private readonly open = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** False, and nothing is counted, when the holder has its share already. */
  enter(holder: string): boolean {
    const count = this.open.get(holder) ?? 0;
    if (count >= this.most) return false;
    this.open.set(holder, count + 1);
    return true;
  }

  /** Once for each time that `enter` was true. */
  leave(holder: string): void {
    const count = (this.open.get(holder) ?? 0) - 1;
    if (count > 0) this.open.set(holder, count);
    else this.open.delete(holder);
  }
}
