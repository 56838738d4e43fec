import type { FinishedCheck } from './finished-check';

/** The destination of every finished check, regardless of its source. */
export abstract class ResultSink {
  /** Accepts a result. Calls `settled` once, when the result is recorded or dropped. */
  abstract add(check: FinishedCheck, settled?: () => void): void;

  /** The number of waiting results. */
  abstract get backlog(): number;

  /** The age of the oldest waiting result, in milliseconds, or 0 if no result waits. */
  abstract get lagMs(): number;

  /** The number of results recorded per second, averaged over the last few seconds. */
  abstract get recordedPerSecond(): number;

  /** The number of results that were dropped for lack of room since startup. */
  abstract get lost(): number;
}
