import { Problem } from '../../platform/problem/problem';
import { type ReadDocument, type ReadText, read } from './yaml-reader.cjs';

/** One document of a stream. */
export interface DocumentText {
  /** What JSON can say: dates are texts, numbers are finite. */
  value: unknown;
  /**
   * The line (1-based) of the value at a JSON pointer, or of what is nearest around it; `null` when the pointer is none.
   * That of a member of a mapping is the line of its key.
   */
  lineOf(pointer: string): number | null;
}

/**
 * The documents of a YAML 1.2 stream; JSON is YAML. Merge keys (`<<`) and anchors are resolved. Takes seconds for megabytes.
 * Throws `malformed_document` with the line of each problem: syntax, duplicate keys, tags, keys that are no text, more
 * aliases, depth or values than anybody writes.
 */
export const readDocumentText = (text: string): DocumentText[] =>
  documentsOf(readBefore?.text === text ? readBefore.result : read(text));

let readBefore: { text: string; result: ReadText } | null = null;

/** Runs work that calls `readDocumentText` with a text that was read already, which then takes no time. */
export function withText<T>(text: string, result: ReadText, work: () => T): T {
  readBefore = { text, result };
  try {
    return work();
  } finally {
    readBefore = null;
  }
}

/** Throws `malformed_document` when the text could not be read. */
export function documentsOf(result: ReadText): DocumentText[] {
  if ('documents' in result) return result.documents.map(toDocumentText);
  throw new Problem('malformed_document', 'Correct what is listed in "errors" and send the document again.', [
    ...result.problems,
  ]);
}

function toDocumentText({ json, lines, sizes }: ReadDocument): DocumentText {
  const value: unknown = JSON.parse(json);
  // Whoever gets the value may change it; where its lines are must not change with it.
  let read: { value: unknown } | null = null;
  return {
    value,
    lineOf: (pointer) => {
      if (pointer !== '' && !pointer.startsWith('/')) return null;
      read ??= { value: JSON.parse(json) };
      return lines[placeOf(read.value, pointer, sizes)] ?? null;
    },
  };
}

const nameOf = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** How many values come before the one at the pointer, or before the nearest around it. */
function placeOf(value: unknown, pointer: string, sizes: ArrayLike<number>): number {
  let place = 0;
  let at = value;
  for (const step of pointer.split('/').slice(1).map(nameOf)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return place;
    const names = Object.keys(at);
    place++;
    for (const name of names.slice(0, names.indexOf(step))) place += sizes[place] ?? fail(name);
    at = (at as Record<string, unknown>)[step];
  }
  return place;
}

function fail(name: string): never {
  throw new Error(`the lines end before ${name}`);
}
