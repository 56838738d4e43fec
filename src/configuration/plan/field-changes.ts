import { isDeepStrictEqual } from 'node:util';
import { auditedSettings } from '../../audit/audited-change';
import { pointerStep } from '../../platform/problem/constraint-codes';
import type { FieldChange } from './plan';

/** A placeholder for a change that masks hide in both views. */
const CHANGED = '(changed)';

/**
 * A resource's views before and after a change, as in the audit log. `hidden` lists settings whose changes a mask
 * hides.
 */
export interface Sides {
  before: object | null;
  after: object;
  hidden?: readonly string[];
}

/** Returns the changes of an update, in the order of the settings. */
export function changesOf({ before, after, hidden = [] }: Sides): FieldChange[] {
  const [was, is] = [auditedSettings(before ?? {}), auditedSettings(after)];
  return Object.keys({ ...was, ...is }).flatMap((name): FieldChange[] => {
    const pointer = `/${pointerStep(name)}`;
    const [old, next] = [was[name] ?? null, is[name] ?? null];
    if (!isDeepStrictEqual(old, next)) return [{ pointer, before: old, after: next }];
    return hidden.includes(name) ? [{ pointer, before: old, after: CHANGED }] : [];
  });
}

/** Returns the settings of a new resource that the document contains. */
export function settingsOfNew(after: object, declared: object): FieldChange[] {
  const is = auditedSettings(after);
  return Object.keys(declared).flatMap((name): FieldChange[] =>
    is[name] === undefined || name === 'key'
      ? []
      : [{ pointer: `/${pointerStep(name)}`, before: null, after: is[name] }],
  );
}
