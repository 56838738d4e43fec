import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { readSettings } from './env';

/**
 * Reads an extension's settings from the environment and validates them with `class-validator`. Throws a `ConfigError`
 * that lists all problems.
 */
export const loadSettings = <T extends object>(
  type: new () => T,
  environment: Readonly<Record<string, string | undefined>>,
): T =>
  readSettings(type, environment, (settings) =>
    // The settings may have no rules.
    validateSync(settings, { forbidUnknownValues: false }).map((error) => ({
      field: error.property,
      must: rangeOf(type, error.property) ?? messageOf(error),
    })),
  );

function messageOf({ property, constraints = {} }: ValidationError): string {
  const [message = 'is wrong'] = Object.values(constraints).map((text) => text.replace(`${property} `, ''));
  return message.replace('each value in ', '');
}

/** Returns `must be a whole number from 1 to 10` for any broken rule on a number, and `null` for other types. */
function rangeOf(type: new () => object, property: string): string | null {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
    .filter(({ propertyName }) => propertyName === property);
  const bound = (name: string): unknown => rules.find((rule) => rule.name === name)?.constraints[0];
  if (!rules.some(({ name }) => name === 'isInt')) return null;
  return `must be a whole number from ${String(bound('min'))} to ${String(bound('max'))}`;
}
