import { join } from 'node:path';
import type { FieldProblem } from '../../platform/problem/problem';
import { aside } from './aside';
import { type DocumentText, documentsOf } from './document-text';
import { Joined } from './portions.cjs';
import { type ReadDocument, type ReadText, read } from './yaml-reader.cjs';

/**
 * The maximum number of characters to parse in this thread, which takes a few milliseconds. Starting a thread takes
 * longer. Text that may contain aliases always needs a thread.
 */
const SHORT = 4 * 1024;
const MAY_MULTIPLY = /[&*]/;

/** The error for text that a thread couldn't parse within its time and memory limits. */
export const COSTLY: FieldProblem = {
  pointer: '',
  line: null,
  code: 'too_large',
  message:
    'reading the text takes too much time or memory, which can happen with YAML and JSON of more than about 1.6 MB: split it, and give each part its own owner',
};

type Message =
  { problems: FieldProblem[] } | { places: Omit<ReadDocument, 'value'>[] } | { portion: string } | { isAll: true };

/**
 * Works like `readDocumentText`, but parses text that isn't short and plain in a separate thread, which returns it in
 * portions.
 */
export async function readDocumentInWorker(text: string, orgId: string): Promise<DocumentText[]> {
  if (text.length <= SHORT && !MAY_MULTIPLY.test(text)) return documentsOf(read(text));
  const joined = new Joined();
  let places: Omit<ReadDocument, 'value'>[] = [];
  const take = (message: Message): ReadText | null => {
    if ('problems' in message) return message;
    if ('places' in message) places = message.places;
    if ('portion' in message) joined.take(message.portion);
    if (!('isAll' in message)) return null;
    const values = joined.value as unknown[];
    return { documents: places.map((place, i) => ({ ...place, value: values[i] })) };
  };
  const found = await aside(orgId, { file: join(__dirname, 'document-thread.cjs'), data: { text }, take });
  return documentsOf(found ?? { problems: [COSTLY] });
}
