/** Others get their turn after so long. */
const TURN_MS = 5;

/** Who goes on, first come, first served: one in each round of the event loop, whatever the number of long works. */
const waiting: (() => void)[] = [];

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });

/** Long work in short turns: by the clock, because what a step costs is up to whoever sent it. */
export class Turns {
  private began = performance.now();

  /** To be called after each step. */
  async rest(): Promise<void> {
    if (performance.now() - this.began < TURN_MS) return;
    await nextTurn();
    this.began = performance.now();
  }

  /** What work makes of each. */
  async map<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) {
      results.push(work(item));
      await this.rest();
    }
    return results;
  }

  /** The results of all steps. */
  async all<Result>(steps: Iterable<readonly Result[]>): Promise<Result[]> {
    const results: Result[] = [];
    for (const some of steps) {
      results.push(...some);
      await this.rest();
    }
    return results;
  }
}
