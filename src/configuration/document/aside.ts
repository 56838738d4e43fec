import { extname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import { problems } from '../../platform/problem/problem';

const MEGABYTE = 1024 * 1024;
/** Of the memory of the process; at most so many megabytes. What is longer than that can be split. */
const [SHARE, MOST_MB] = [1 / 4, 128];
const DEADLINE_MS = 20_000;

/** Two threads at a time, one of an organization: nobody waits for the text of one other. */
const turns = new FairSemaphore({ size: 2, share: 1, waiting: 8 });
const NEVER = new AbortController().signal;

/** In the sources a thread that loads some of them has to compile them first, which takes more memory than any text. */
const FROM_SOURCES =
  extname(__filename) === '.ts'
    ? { execArgv: ['-r', join(__dirname, '../../../scripts/typescript.cjs')], megabytes: 512 }
    : { execArgv: [], megabytes: 0 };

/** Megabytes for a thread, where the heap may have `heap` bytes and the process `memory`: 0 or more than there is for no limit. */
export const threadMegabytes = (heap: number, memory: number): number =>
  Math.max(16, Math.min(MOST_MB, Math.floor((Math.min(heap, memory || heap) * SHARE) / MEGABYTE)));

/** Work for a thread of its own. */
export interface AsideWork<Message, Result> {
  /** Absolute; it hands over what it finds by `handOver`. */
  file: string;
  /** It loads modules of ours that are written in TypeScript. */
  loadsSources?: boolean;
  data: object;
  /** Called with each message, a turn of the loop for each; `null` asks for the next one. */
  take(this: void, message: Message): Result | null;
}

/**
 * Runs a file in a thread of its own, within a share of the memory and 20 s: checks and responses go on meanwhile. `null` when
 * that is not enough. Throws `rate_limited` when too much of this organization waits already.
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
