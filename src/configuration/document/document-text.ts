import { Problem } from '../../platform/problem/problem';
import { type ReadDocument, type ReadText, read } from './yaml-reader.cjs';

/** One document of a stream. */
export interface DocumentText {
  /** What JSON can say: dates are texts, numbers are finite. It is not to be changed: the lines are found along it. */
  value: unknown;
  /**
   * The line (1-based) of the value at a JSON pointer, or of what is nearest around it; `null` when the pointer is none.
   * That of a member of a mapping is the line of its key. However many are asked for, each mapping is walked once.
   */
  lineOf(pointer: string): number | null;
}

/**
 * The documents of a YAML 1.2 stream; JSON is YAML. Merge keys (`<<`) and anchors are resolved. Takes seconds for megabytes.
 * Throws `malformed_document` with the line of each problem: syntax, duplicate keys, tags, keys that are no text, more
 * aliases, depth or values than anybody writes.
 */
export const readDocumentText = (text: string): DocumentText[] => documentsOf(read(text));

/** Throws `malformed_document` when the text could not be read. */
export function documentsOf(result: ReadText): DocumentText[] {
  if ('documents' in result) return result.documents.map(toDocumentText);
  throw new Problem('malformed_document', 'Fix the problems listed in "errors" and send the document again.', [
    ...result.problems,
  ]);
}

function toDocumentText({ value, lines, sizes }: ReadDocument): DocumentText {
  const places = new Places(value, sizes);
  return {
    value,
    lineOf: (pointer) => (pointer !== '' && !pointer.startsWith('/') ? null : (lines[places.placeOf(pointer)] ?? null)),
  };
}

const nameOf = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** How many values come before another one. */
class Places {
  /** By the place of a mapping or list: the places of what is in it. */
  private readonly known = new Map<number, ReadonlyMap<string, number>>();

  constructor(
    private readonly value: unknown,
    private readonly sizes: ArrayLike<number>,
  ) {}

  /** Of the value at the pointer, or of the nearest around it. */
  placeOf(pointer: string): number {
    let [place, at] = [0, this.value];
    for (const step of pointer.split('/').slice(1).map(nameOf)) {
      if (typeof at !== 'object' || at === null) return place;
      const inside = this.inside(at, place).get(step);
      if (inside === undefined) return place;
      [place, at] = [inside, (at as Record<string, unknown>)[step]];
    }
    return place;
  }

  private inside(value: object, place: number): ReadonlyMap<string, number> {
    const known = this.known.get(place);
    if (known) return known;
    const made = new Map<string, number>();
    let next = place + 1;
    for (const name of Object.keys(value)) {
      made.set(name, next);
      next += this.sizes[next] ?? fail(name);
    }
    this.known.set(place, made);
    return made;
  }
}

function fail(name: string): never {
  throw new Error(`the lines end before ${name}`);
}
