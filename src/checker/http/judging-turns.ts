import { Injectable } from '@nestjs/common';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Lets others pass between two pieces of work. */
export type Pause = () => Promise<void>;

/** Shorter pieces pass for nothing. */
const SHORT_MS = 1;

/**
 * Work that takes long is done for one check at a time, in pieces; after each piece everybody else has the event loop for as
 * long as the piece took. So all such work together takes half of it at most, and nothing else waits for more than one piece.
 * Organizations take turns, whoever of them has how many checks.
 */
@Injectable()
export class JudgingTurns {
  private readonly waiting = new Map<string | null, (() => void)[]>();
  private isTaken = false;

  /** Does the work when it is its turn. False when the signal was aborted first: then it was not begun. */
  async take(
    organization: string | null,
    signal: AbortSignal,
    work: (pause: Pause) => Promise<void>,
  ): Promise<boolean> {
    if (this.isTaken && !(await this.wait(organization, signal))) return false;
    this.isTaken = true;
    let pieceAt = performance.now();
    const pause = async () => {
      await rest(performance.now() - pieceAt);
      pieceAt = performance.now();
    };
    try {
      await work(pause);
      return true;
    } finally {
      // The caller does not wait for the pause.
      setTimeout(() => this.pass(), performance.now() - pieceAt);
    }
  }

  private wait(organization: string | null, signal: AbortSignal): Promise<boolean> {
    const line = this.waiting.get(organization) ?? [];
    this.waiting.set(organization, line);
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        const place = line.indexOf(go);
        if (place >= 0) line.splice(place, 1);
        if (line.length === 0 && this.waiting.get(organization) === line) this.waiting.delete(organization);
        resolve(false);
      };
      line.push(go);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** To the organization that has waited longest since its last turn. */
  private pass(): void {
    const [next] = this.waiting;
    if (!next) {
      this.isTaken = false;
      return;
    }
    const [organization, line] = next;
    const go = line.shift();
    this.waiting.delete(organization);
    if (line.length > 0) this.waiting.set(organization, line);
    go?.();
  }
}

const rest = (ms: number): Promise<void> => (ms < SHORT_MS ? setImmediate() : sleep(ms));
