import { type Problem, problems } from '../../src/platform/problem/problem';
import { isRecord } from '../../src/platform/text/json';
import { readDocumentText } from '../../src/configuration/document/document-text';

export type Members = Readonly<Record<string, unknown>>;

/** One thing of a list in a foreign file. */
export interface ForeignItem {
  value: unknown;
  /** Where it stands: a JSON pointer, or a line when there are several documents. */
  at: string;
}

/**
 * The items of a list that is the whole file, or the member `name` of it; of several files behind each other one after the
 * other. `others` are the names of the members beside the list, `beside` those members, file by file. Throws `validation_failed` with `form` when the file has no such list.
 */
export function readForeignList(
  text: string,
  name: string,
  form: string,
): { items: ForeignItem[]; others: string[]; beside: Members[] } {
  const documents = readDocumentText(text);
  if (documents.length === 0) throw notSuchFile(form, 1);
  const others = new Set<string>();
  const items = documents.flatMap((document) => {
    const { value } = document;
    const list: unknown = isRecord(value) ? value[name] : value;
    if (!Array.isArray(list)) throw notSuchFile(form, document.lineOf(''));
    if (isRecord(value)) for (const key of Object.keys(value)) if (key !== name) others.add(key);
    const path = isRecord(value) ? `/${name}` : '';
    return list.map((item: unknown, i): ForeignItem => {
      const pointer = `${path}/${i}`;
      return { value: item, at: documents.length === 1 ? pointer : `line ${document.lineOf(pointer)}` };
    });
  });
  const beside = documents.map(({ value }) => (isRecord(value) ? value : {}));
  return { items, others: [...others], beside };
}

/** What is thrown for a file of another form. */
export const notSuchFile = (form: string, line: number | null): Problem =>
  problems.validationFailed([{ pointer: '', line, code: 'invalid_format', message: `this is not ${form}` }]);

/** A text, also of a number; empty for anything else. */
export const textIn = (members: Members, name: string): string => {
  const value = members[name];
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
};

/** A number, also of a text that is one; `null` for anything else. */
export function numberIn(members: Members, name: string): number | null {
  const text = textIn(members, name);
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
}
