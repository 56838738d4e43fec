import { extname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import { problems } from '../../platform/problem/problem';

const MEGABYTE = 1024 * 1024;
/**
 * The fraction of the process memory that a thread may use, and the maximum in megabytes. Longer documents can be
 * split.
 */
const [SHARE, MOST_MB] = [1 / 4, 128];
const DEADLINE_MS = 20_000;

/** Two threads may run at a time, one for each organization, so that one organization's text can't block all others. */
const turns = new FairSemaphore({ size: 2, share: 1, waiting: 8 });
const NEVER = new AbortController().signal;

/**
 * When run from source, a thread that loads TypeScript has to compile it first, which takes more memory than any
 * document.
 */
const FROM_SOURCES =
  extname(__filename) === '.ts'
    ? { execArgv: ['-r', join(__dirname, '../../../scripts/typescript.cjs')], megabytes: 512 }
    : { execArgv: [], megabytes: 0 };

/**
 * Returns the number of megabytes for a thread. `heap` is the heap limit and `memory` is the process limit, both in
 * bytes. Without a limit, `memory` is 0 or more than the machine has.
 */
export const threadMegabytes = (heap: number, memory: number): number =>
  Math.max(16, Math.min(MOST_MB, Math.floor((Math.min(heap, memory || heap) * SHARE) / MEGABYTE)));

export interface AsideWork<Message, Result> {
  /** The absolute path of the file, which returns its findings through `handOver`. */
  file: string;
  /** Whether the file loads modules of the service that are written in TypeScript. */
  loadsSources?: boolean;
  data: object;
  /** Called with each message, in a separate turn of the event loop. Return `null` to request the next message. */
  take(this: void, message: Message): Result | null;
}

/**
 * Runs a file in a separate thread, limited to a fraction of the memory and 20 s. Checks and responses continue in the
 * meantime. Returns `null` if the limits aren't enough. Throws `rate_limited` if too much of this organization's work
 * is already waiting.
 */
export async function aside<Message, Result>(orgId: string, work: AsideWork<Message, Result>): Promise<Result | null> {
  const leave = await turns.take(orgId, NEVER);
  if (!leave) throw problems.rateLimited(2);
  return inThread(work).finally(leave);
}

function inThread<Message, Result>({
  file,
  loadsSources,
  data,
  take,
}: AsideWork<Message, Result>): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const megabytes = threadMegabytes(getHeapStatistics().heap_size_limit, process.constrainedMemory());
    const worker = new Worker(file, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: megabytes + (loadsSources ? FROM_SOURCES.megabytes : 0) },
      execArgv: loadsSources ? FROM_SOURCES.execArgv : [],
    });
    const stop = (): void => {
      clearTimeout(deadline);
      void worker.terminate();
    };
    const end = (result: Result | null): void => {
      resolve(result);
      stop();
    };
    const fail = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
      stop();
    };
    const deadline = setTimeout(() => end(null), DEADLINE_MS);
    const next = async (message: Message): Promise<void> => {
      const result = take(message);
      if (result !== null) return end(result);
      await nextTurn();
      return worker.postMessage('next', []);
    };
    worker.on('message', (message: Message) => void next(message).catch(fail));
    worker.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? end(null) : fail(error),
    );
    worker.once('exit', () => fail(new Error('the thread that reads documents ended unexpectedly')));
  });
}
