import { Problem } from '../../platform/problem/problem';
import { type ReadDocument, type ReadText, read } from './yaml-reader.cjs';

export interface DocumentText {
  /**
   * A JSON value in which dates are strings and numbers are finite. It must not be changed, because line numbers are
   * found by traversing it.
   */
  value: unknown;
  /**
   * Returns the 1-based line number of the value at a JSON pointer, or of the nearest enclosing value. Returns `null`
   * if the pointer is invalid. A mapping member's line is the line of its key. Regardless of how many lines are looked
   * up, each mapping is traversed once.
   */
  lineOf(pointer: string): number | null;
}

/**
 * Parses the documents in a YAML 1.2 stream, which may also be JSON. Merge keys (`<<`) and anchors are resolved.
 * Megabytes of text take seconds. Throws `malformed_document` with the line of each problem: syntax, duplicate keys,
 * tags, keys that aren't strings, and unrealistic numbers of aliases, levels, or values.
 */
export const readDocumentText = (text: string): DocumentText[] => documentsOf(read(text));

/** Returns the documents in a parsed text. Throws `malformed_document` if it couldn't be parsed. */
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

/** Counts how many values come before another value. */
class Places {
  /** The positions of the members of a mapping or list, by the position of the mapping or list itself. */
  private readonly known = new Map<number, ReadonlyMap<string, number>>();

  constructor(
    private readonly value: unknown,
    private readonly sizes: ArrayLike<number>,
  ) {}

  /** Returns the position of the value at the pointer, or of the nearest enclosing value. */
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
