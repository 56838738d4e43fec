/** An item whose request failed, with the reason. */
export interface Failure<T> {
  item: T;
  error: unknown;
}

export interface BulkOptions {
  /** Returns how many seconds an error asks the client to wait, or `null`. */
  retryAfter: (error: unknown) => number | null;
  sleep: (ms: number) => Promise<void>;
  isStopped: () => boolean;
  onDone: (item: object) => void;
}

const AT_ONCE = 4;
const ATTEMPTS = 5;

/**
 * Runs `work` for each item, four at a time. If the service asks one request to wait, all of them wait. Returns the
 * failures and never throws.
 */
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
