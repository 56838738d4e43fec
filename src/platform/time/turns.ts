/** How long a turn may take before other work gets its turn. */
const TURN_MS = 5;

/** Work that is waiting to continue, in order. One item runs per turn of the event loop, however many there are. */
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

/** Splits long work into short turns. Measures time, because the cost of a step depends on client input. */
export class Turns {
  private began = performance.now();

  /** Lets other work run if the turn has taken too long. Call this after each step. */
  async rest(): Promise<void> {
    if (performance.now() - this.began < TURN_MS) return;
    await nextTurn();
    this.began = performance.now();
  }

  /** Maps the items with pauses between turns. */
  async map<Item, Result>(items: readonly Item[], work: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) {
      results.push(work(item));
      await this.rest();
    }
    return results;
  }

  /** Collects the results of all steps. */
  async all<Result>(steps: Iterable<readonly Result[]>): Promise<Result[]> {
    const results: Result[] = [];
    for (const some of steps) {
      results.push(...some);
      await this.rest();
    }
    return results;
  }
}
