import { Injectable } from '@nestjs/common';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../../platform/capacity/by-owner';
import { InTurns } from '../../platform/capacity/in-turns';

/** Yields to other work between two pieces. */
export type Pause = () => Promise<void>;

/** Pieces shorter than this don't cause a pause. */
const SHORT_MS = 1;

/**
 * Runs long work for one check at a time, in pieces. After each piece, the event loop is free for other work for as
 * long as the piece took. So this work takes up at most half of the event loop, and nothing else waits for more than
 * one piece. Organizations take turns, no matter how many checks they have.
 */
@Injectable()
export class JudgingTurns {
  private readonly waiting = new InTurns<() => void>();
  private isTaken = false;

  /** Runs the work when its turn comes. If the signal is aborted first, returns false without starting the work. */
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
