import 'reflect-metadata';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';

const ENV = Symbol('config:env');

/** Ties a field of the settings class to its environment variable. The type of the field's default decides how the text is read. */
export const Env =
  (name: string): PropertyDecorator =>
  (target, key) => {
    const known: Map<string, string> = Reflect.getMetadata(ENV, target) ?? new Map();
    Reflect.defineMetadata(ENV, new Map(known).set(String(key), name), target);
  };

/** Field → variable, in the order of the class; none of a class without settings. */
export const envNames = (type: new () => object): Map<string, string> =>
  (Reflect.getMetadata(ENV, type.prototype) as Map<string, string> | undefined) ?? new Map<string, string>();

export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(
      problems.length === 1
        ? problems[0]
        : `${problems.length} settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

const SWITCH: Readonly<Record<string, boolean>> = { on: true, true: true, 1: true, off: false, false: false, 0: false };

function read(text: string, fallback: unknown): unknown {
  if (typeof fallback === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (typeof fallback === 'boolean') return SWITCH[text.toLowerCase()] ?? text;
  if (Array.isArray(fallback))
    return text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  return text;
}

/** Builds the settings from the environment, or throws a `ConfigError` that lists every problem at once. */
export function loadSettings<T extends object>(
  type: new () => T,
  environment: Readonly<Record<string, string | undefined>>,
): T {
  const settings = new type();
  const names = envNames(type);
  for (const [field, name] of names) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    Object.assign(settings, { [field]: read(text, settings[field as keyof T]) });
  }
  // An extension's settings may have no rule at all.
  const errors = validateSync(settings, { forbidUnknownValues: false });
  if (errors.length === 0) return settings;
  throw new ConfigError(errors.map((error) => problemOf(type, error, environment)));
}

/** One sentence for a wrong value. Values that may hold a credential are not repeated. */
function problemOf(
  type: new () => object,
  { property, constraints = {} }: ValidationError,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const name = envNames(type).get(property) ?? property;
  const given = MAY_BE_SECRET.test(name) ? '' : `, not ${JSON.stringify((environment[name] ?? '').slice(0, 100))}`;
  const [message = 'is wrong'] = Object.values(constraints).map((text) => text.replace(`${property} `, ''));
  return `${name} ${rangeOf(type, property) ?? message.replace('each value in ', '')}${given}.`;
}

const MAY_BE_SECRET = /KEY|TOKEN|URL|SECRET/;

/** `must be a whole number from 1 to 10`, whichever of the rules is broken; `null` for what is no number. */
function rangeOf(type: new () => object, property: string): string | null {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
    .filter(({ propertyName }) => propertyName === property);
  const bound = (name: string): unknown => rules.find((rule) => rule.name === name)?.constraints[0];
  if (!rules.some(({ name }) => name === 'isInt')) return null;
  return `must be a whole number from ${String(bound('min'))} to ${String(bound('max'))}`;
}
