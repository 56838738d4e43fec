import { type Problem, problems } from '../../src/platform/problem/problem';
import { isRecord } from '../../src/platform/text/json';
import { readDocumentText } from '../../src/configuration/document/document-text';

export type Members = Readonly<Record<string, unknown>>;

export interface ForeignItem {
  value: unknown;
  /** Its location: a JSON pointer, or a line if there are several documents. */
  at: string;
}

/**
 * Returns the list items from all concatenated files. The list is either the whole file or its `name` property.
 * `others` has the names of other properties, and `beside` has the objects from all files. Throws: `validation_failed`
 * with `form` if a file has no such list.
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

export const notSuchFile = (form: string, line: number | null): Problem =>
  problems.validationFailed([{ pointer: '', line, code: 'invalid_format', message: `this is not ${form}` }]);

/** Returns a string, or a number as a string. Returns an empty string for anything else. */
export const textIn = (members: Members, name: string): string => {
  const value = members[name];
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
};

/** Returns a number, parsing it from a string if needed. Returns `null` for anything else. */
export function numberIn(members: Members, name: string): number | null {
  const text = textIn(members, name);
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
}
