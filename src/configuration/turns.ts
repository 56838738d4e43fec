import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others get their turn after so long. */
const TURN_MS = 10;

/** Long work in short turns: by the clock, because what a step costs is up to whoever sent it. */
export class Turns {
  private began = performance.now();

  /** To be called after each step. */
  async rest(): Promise<void> {
    if (performance.now() - this.began < TURN_MS) return;
    await nextTurn();
    this.began = performance.now();
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
