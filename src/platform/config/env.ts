import 'reflect-metadata';
import { validateSync } from 'class-validator';

const ENV = Symbol('config:env');

/** Ties a field of the settings class to its environment variable. The type of the field's default decides how the text is read. */
export const Env =
  (name: string): PropertyDecorator =>
  (target, key) => {
    const known: Map<string, string> = Reflect.getMetadata(ENV, target) ?? new Map();
    Reflect.defineMetadata(ENV, new Map(known).set(String(key), name), target);
  };

/** Field → variable, in the order of the class. */
export const envNames = (type: new () => object): Map<string, string> =>
  Reflect.getMetadata(ENV, type.prototype) as Map<string, string>;

export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
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
  const problems = validateSync(settings).map(
    (error) => `${names.get(error.property) ?? error.property}: ${Object.values(error.constraints ?? {}).join(', ')}`,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}
