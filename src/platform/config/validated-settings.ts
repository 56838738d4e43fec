import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { readSettings } from './env';

/**
 * The settings of an extension, whose rules are those of `class-validator`, from the environment. Throws a `ConfigError` that
 * lists every problem at once.
 */
export const loadSettings = <T extends object>(
  type: new () => T,
  environment: Readonly<Record<string, string | undefined>>,
): T =>
  readSettings(type, environment, (settings) =>
    // They may have no rule at all.
    validateSync(settings, { forbidUnknownValues: false }).map((error) => ({
      field: error.property,
      must: rangeOf(type, error.property) ?? messageOf(error),
    })),
  );

function messageOf({ property, constraints = {} }: ValidationError): string {
  const [message = 'is wrong'] = Object.values(constraints).map((text) => text.replace(`${property} `, ''));
  return message.replace('each value in ', '');
}

/** `must be a whole number from 1 to 10`, whichever of the rules is broken; `null` for what is no number. */
function rangeOf(type: new () => object, property: string): string | null {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
    .filter(({ propertyName }) => propertyName === property);
  const bound = (name: string): unknown => rules.find((rule) => rule.name === name)?.constraints[0];
  if (!rules.some(({ name }) => name === 'isInt')) return null;
  return `must be a whole number from ${String(bound('min'))} to ${String(bound('max'))}`;
}
