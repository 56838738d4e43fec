import { isDeepStrictEqual } from 'node:util';
import { auditedSettings } from '../../audit/audited-change';
import { pointerStep } from '../../platform/problem/constraint-codes';
import type { FieldChange } from './plan';

/** Stands for what a mask hides on both sides. */
const CHANGED = '(changed)';

/** Two views of a resource as the audit log has them. `hidden`: settings that change behind a mask. */
export interface Sides {
  before: object | null;
  after: object;
  hidden?: readonly string[];
}

/** What of an update changes, in the order of the settings. */
export function changesOf({ before, after, hidden = [] }: Sides): FieldChange[] {
  const [was, is] = [auditedSettings(before ?? {}), auditedSettings(after)];
  return Object.keys({ ...was, ...is }).flatMap((name): FieldChange[] => {
    const pointer = `/${pointerStep(name)}`;
    const [old, next] = [was[name] ?? null, is[name] ?? null];
    if (!isDeepStrictEqual(old, next)) return [{ pointer, before: old, after: next }];
    return hidden.includes(name) ? [{ pointer, before: old, after: CHANGED }] : [];
  });
}

/** Of something new what the document says of it. */
export function settingsOfNew(after: object, declared: object): FieldChange[] {
  const is = auditedSettings(after);
  return Object.keys(declared).flatMap((name): FieldChange[] =>
    is[name] === undefined || name === 'key'
      ? []
      : [{ pointer: `/${pointerStep(name)}`, before: null, after: is[name] }],
  );
}
