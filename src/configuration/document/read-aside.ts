import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type DocumentText, documentsOf } from './document-text';
import { type ReadText, read } from './yaml-reader.cjs';

/** Shorter texts take a few milliseconds; a thread takes longer to start. Characters. */
const SHORT = 8 * 1024;
const MEMORY_MB = 768;
const DEADLINE_MS = 20_000;

const COSTLY: ReadText = {
  problems: [{ pointer: '', line: null, code: 'too_large', message: 'the text takes too much time or memory to read' }],
};

/** The newest reading; each waits for the one before, so that there is never more than one thread. */
let last: Promise<unknown> = Promise.resolve();

/**
 * As `readDocumentText`, but long texts are read in a thread of their own, one after the other, within 768 MB and 20 s:
 * checks and responses go on meanwhile.
 */
export const readDocumentTextAside = async (text: string): Promise<DocumentText[]> =>
  documentsOf(await readAside(text));

/** The same with problems as a value. */
export async function readAside(text: string): Promise<ReadText> {
  if (text.length <= SHORT) return read(text);
  const mine = last.then(() => readInThread(text));
  last = mine.catch(() => undefined);
  return mine;
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
