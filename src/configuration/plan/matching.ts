import { newUuid } from '../../platform/ids/id';
import type { FieldProblem } from '../../platform/problem/problem';
import { grouped } from '../../platform/text/grouped';
import type { PlanNote } from './plan';

/** The fields that identify a stored resource. */
export interface Stored {
  id: string;
  externalKey: string | null;
  owner: string | null;
}

/** A declared resource and its stored counterpart. */
export interface Match<Declared, Present> {
  /** The JSON pointer (RFC 6901) into the document. */
  pointer: string;
  /** The key path. */
  path: string;
  declared: Declared;
  /** The stored resource, or `null` if the resource is new. */
  present: Present | null;
  /** UUID, which is chosen here for a new resource. */
  id: string;
}

/** One list of siblings. */
export interface Siblings<Declared, Present> {
  /** The resource type as a noun, used in messages. */
  noun: string;
  /** The list's pointer. */
  pointer: string;
  /** The parent's key path, or an empty string. */
  parent: string;
  declared: readonly Declared[];
  present: readonly Present[];
  /** Returns a string that identifies a resource without a key. */
  likenessOfDeclared(declared: Declared): string;
  likenessOfPresent(present: Present): string;
}

export interface Matched<Declared, Present> {
  matches: Match<Declared, Present>[];
  notes: PlanNote[];
  /** Errors for keys that another owner declared. */
  taken: FieldProblem[];
}

/** Returns a child's key path. */
export const pathOf = (parent: string, key: string): string => (parent === '' ? key : `${parent}/${key}`);

/**
 * Finds the stored counterparts of declared resources by key. A resource without a key is matched by its likeness, if
 * exactly one stored resource matches exactly one declared resource. Another owner's resources are only taken over if
 * `takesOver` is true. A document without an owner may change any resource that it names, like a client.
 */
export function match<Declared extends { key: string }, Present extends Stored>(
  owner: string | null,
  siblings: Siblings<Declared, Present>,
  takesOver = false,
): Matched<Declared, Present> {
  const { declared, present, noun, parent, pointer } = siblings;
  const byKey = new Map(present.flatMap((row) => (row.externalKey === null ? [] : [[row.externalKey, row] as const])));
  const free = present.filter((row) => row.externalKey === null && (row.owner === null || row.owner === owner));
  const alike = grouped(free, (row) => siblings.likenessOfPresent(row));
  const wanting = declared.filter(({ key }) => !byKey.has(key));
  const claims = grouped(wanting, (item) => siblings.likenessOfDeclared(item));
  const found: Matched<Declared, Present> = { matches: [], notes: [], taken: [] };
  for (const [index, item] of declared.entries()) {
    const at = `${pointer}/${index}`;
    const path = pathOf(parent, item.key);
    const known = byKey.get(item.key) ?? null;
    if (known && !takesOver && isAnothers(known, owner)) found.taken.push(takenBy(known, noun, path, at));
    const likeness = known === null && alike.size > 0 ? siblings.likenessOfDeclared(item) : '';
    const candidates = alike.get(likeness) ?? [];
    const isClear = candidates.length === 1 && claims.get(likeness)?.length === 1;
    if (candidates.length > 0 && !isClear) found.notes.push(ambiguous(noun, path, candidates.length));
    const row = known ?? (isClear ? (candidates[0] ?? null) : null);
    found.matches.push({ pointer: at, path, declared: item, present: row, id: row?.id ?? newUuid() });
  }
  return found;
}

const isAnothers = (row: Stored, owner: string | null): boolean =>
  owner !== null && row.owner !== null && row.owner !== owner;

const takenBy = (row: Stored, noun: string, path: string, pointer: string): FieldProblem => ({
  pointer: `${pointer}/key`,
  code: 'other_owner',
  message: `the ${noun} ${path} is declared by ${row.owner ?? 'another owner'}; choose another key, remove it from that document and apply that document, or have an admin apply this one with ?take_over=true`,
});

const ambiguous = (noun: string, path: string, count: number): PlanNote => ({
  key: path,
  message: `${count === 1 ? `One ${noun} without a key matches` : `${count} ${noun}s without a key match`} this declaration, but the match is ambiguous, so none is adopted. Give it a key to identify it.`,
});
