import { configProblems } from '../channel/config/config-validation';
import type { FieldProblem } from '../platform/problem/problem';
import { pointerStep } from '../platform/problem/constraint-codes';
import type { Checker } from './checker';

/** The settings of a check whose type has none, or that are all defaults. */
export const NO_SETTINGS: object = Object.freeze({});

/**
 * Returns all problems of the settings of a type, with decrypted secrets. Pointers are relative to the settings. Rules
 * that involve several settings are only checked if each one is valid.
 */
export function settingsProblems(checker: Checker, settings: object, url: string): FieldProblem[] {
  const { settingsClass } = checker;
  if (!settingsClass)
    return Object.keys(settings).map((key) => ({
      pointer: `/${pointerStep(key)}`,
      code: 'unknown_field',
      message: 'is not a known key; this type has no settings',
    }));
  const found = configProblems(settingsClass, settings);
  if (found.length > 0) return found;
  return (checker.settingsProblems?.(settings, url) ?? []).map(({ key, code, message }) => ({
    pointer: `/${key}`,
    code,
    message,
  }));
}
