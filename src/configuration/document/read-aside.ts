import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FairSemaphore } from '../../platform/net/fair-semaphore';
import { problems } from '../../platform/problem/problem';
import { type DocumentText, documentsOf } from './document-text';
import { type ReadText, read } from './yaml-reader.cjs';

/** Shorter texts take a few milliseconds; a thread takes longer to start. Characters. */
const SHORT = 8 * 1024;
const MEMORY_MB = 640;
const DEADLINE_MS = 20_000;

const COSTLY: ReadText = {
  problems: [{ pointer: '', line: null, code: 'too_large', message: 'the text takes too much time or memory to read' }],
};

/** One thread at a time, the organizations in turn. */
const turns = new FairSemaphore({ size: 1, share: 1, waiting: 8 });
const NEVER = new AbortController().signal;

/**
 * As `readDocumentText`, but long texts are read in a thread of their own, one after the other, within 640 MB and 20 s:
 * checks and responses go on meanwhile. Throws `rate_limited` when too many texts of this organization wait already.
 */
export const readDocumentTextAside = async (text: string, orgId: string | null = null): Promise<DocumentText[]> =>
  documentsOf(await readAside(text, orgId));

/** The same with problems of the text as a value. */
export async function readAside(text: string, orgId: string | null): Promise<ReadText> {
  if (text.length <= SHORT) return read(text);
  const leave = await turns.take(orgId, NEVER);
  if (!leave) throw problems.rateLimited(2);
  return readInThread(text).finally(leave);
}

function readInThread(text: string): Promise<ReadText> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'yaml-worker.cjs'), {
      workerData: { text },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      execArgv: [],
    });
    const deadline = setTimeout(() => end(COSTLY), DEADLINE_MS);
    const end = (result: ReadText): void => {
      clearTimeout(deadline);
      resolve(result);
      void worker.terminate();
    };
    worker.once('message', (result: ReadText) => end(result));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(deadline);
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(COSTLY);
      else reject(error);
    });
    worker.once('exit', () => reject(new Error('the thread that reads documents ended without a word')));
  });
}
