import type { FinishedCheck } from './finished-check';

/** Where every finished check goes, whatever asked for it. */
export abstract class ResultSink {
  /** Takes a result. `settled` is called once: when it is recorded, dropped or given up. */
  abstract add(check: FinishedCheck, settled?: () => void): void;

  /** Results that wait. */
  abstract get backlog(): number;

  /** Age of the oldest result that waits, milliseconds; 0 when none does. */
  abstract get lagMs(): number;

  /** Over the last seconds. */
  abstract get recordedPerSecond(): number;

  /** Results that were given up, since the start. */
  abstract get lost(): number;
}
