import { join } from 'node:path';
import type { FieldProblem } from '../../platform/problem/problem';
import { aside } from './aside';
import { type DocumentText, documentsOf } from './document-text';
import { Joined } from './portions.cjs';
import { type ReadDocument, type ReadText, read } from './yaml-reader.cjs';

/** Characters. Shorter texts take a few milliseconds, a thread takes longer to start; not with anything that may be an alias. */
const SHORT = 4 * 1024;
const MAY_MULTIPLY = /[&*]/;

/** What is said of a text that a thread could not read in its time and memory. */
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
 * As `readDocumentText`, but everything that is not short and plain is read in a thread of its own, and comes from there in
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
