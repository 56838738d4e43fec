import { pointerStep } from '../../platform/problem/constraint-codes';
import type { ConfigurationDocument } from './document';

export interface MissingSecret {
  pointer: string;
  name: string;
}

/**
 * Returns the document with the values of its secrets in place of `{$secret: NAME}`, and without `secrets`. References
 * without a value are kept and listed. The given document isn't changed.
 */
export function resolveSecrets(document: ConfigurationDocument): {
  document: ConfigurationDocument;
  missing: MissingSecret[];
  /** Pointers of the references that have a value. */
  given: ReadonlySet<string>;
} {
  const { secrets = {}, ...rest } = document;
  const missing: MissingSecret[] = [];
  const given = new Set<string>();
  const path: (string | number)[] = [];
  const pointer = (): string => path.map((step) => `/${pointerStep(String(step))}`).join('');
  const inside = (step: string | number, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    path.push(step);
    const result = resolved(value);
    path.pop();
    return result;
  };
  const resolved = (value: object): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown, i) => inside(i, item));
    const name = (value as Record<string, unknown>)['$secret'];
    if (typeof name !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inside(key, item)]));
    if (Object.hasOwn(secrets, name)) {
      given.add(pointer());
      return secrets[name];
    }
    missing.push({ pointer: pointer(), name });
    return value;
  };
  return { document: resolved(rest) as ConfigurationDocument, missing, given };
}
