import { Injectable } from '@nestjs/common';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../../platform/capacity/by-owner';
import { InTurns } from '../../platform/capacity/in-turns';

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
  private readonly waiting = new InTurns<() => void>();
  private isTaken = false;

  /** Does the work when it is its turn. False when the signal was aborted first: then it was not begun. */
  async take(organization: Owner, signal: AbortSignal, work: (pause: Pause) => Promise<void>): Promise<boolean> {
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

  private wait(organization: Owner, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        this.waiting.remove(organization, go);
        resolve(false);
      };
      this.waiting.push(organization, go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  private pass(): void {
    const next = this.waiting.take();
    if (next) next();
    else this.isTaken = false;
  }
}

const rest = (ms: number): Promise<void> => (ms < SHORT_MS ? setImmediate() : sleep(ms));
