import { pointerStep } from '../../platform/problem/constraint-codes';
import { isRecord } from '../../platform/text/json';
import type { SecretReference } from '../document/document';

/** Returns a value that keeps the stored one: a mask, or the value itself. Returns `undefined` if nothing is stored. */
export type StoredAt = (path: readonly (string | number)[]) => unknown;

/** A value, and its secret references that have no value, by pointer. */
export interface Filled {
  value: unknown;
  missing: { pointer: string; name: string }[];
}

export const isReference = (value: unknown): value is SecretReference =>
  isRecord(value) && typeof value['$secret'] === 'string';

/** Replaces each secret reference that has no value with a value that keeps the stored one. */
export function filled(value: unknown, storedAt: StoredAt): Filled {
  const missing: Filled['missing'] = [];
  const visit = (item: unknown, path: readonly (string | number)[]): unknown => {
    if (Array.isArray(item)) return item.map((each, index) => visit(each, [...path, index]));
    if (!isRecord(item)) return item;
    if (!isReference(item))
      return Object.fromEntries(Object.entries(item).map(([name, each]) => [name, visit(each, [...path, name])]));
    const kept = storedAt(path);
    if (typeof kept === 'string' || typeof kept === 'number') return kept;
    missing.push({ pointer: path.map((step) => `/${pointerStep(String(step))}`).join(''), name: item.$secret });
    return item;
  };
  return { value: visit(value, []), missing };
}

/** Returns a function that reads from a stored object, such as a masked config. */
export const storedIn =
  (stored: unknown): StoredAt =>
  (path) =>
    path.reduce<unknown>(
      (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined),
      stored,
    );
