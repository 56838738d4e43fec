/** An item that a request failed for, and why. */
export interface Failure<T> {
  item: T;
  error: unknown;
}

export interface BulkOptions {
  /** Seconds after which the service wants to be asked again; `null` when it said nothing of the kind. */
  retryAfter: (error: unknown) => number | null;
  sleep: (ms: number) => Promise<void>;
  isStopped: () => boolean;
  onDone: (item: object) => void;
}

const AT_ONCE = 4;
const ATTEMPTS = 5;

/** Does the same for each item, four at a time. When the service asks to wait, all wait. Never throws: returns what failed. */
export async function forEachInTurn<T extends object>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  { retryAfter, sleep, isStopped, onDone }: BulkOptions,
): Promise<Failure<T>[]> {
  const waiting = [...items];
  const failures: Failure<T>[] = [];
  let pause = Promise.resolve();

  const attempt = async (item: T, attempts: number): Promise<void> => {
    await pause;
    try {
      await work(item);
    } catch (error) {
      const seconds = retryAfter(error);
      if (seconds === null || attempts === 1) {
        failures.push({ item, error });
        return;
      }
      pause = sleep(seconds * 1000);
      await attempt(item, attempts - 1);
    }
  };
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item && !isStopped(); item = waiting.shift()) {
      await attempt(item, ATTEMPTS);
      onDone(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return failures;
}
