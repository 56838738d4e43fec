import { existsSync, readFileSync } from 'node:fs';
import 'reflect-metadata';
import { cut } from '../text/text-limits';

const ENV = Symbol('config:env');

/**
 * Binds a field of the settings class to its environment variable. The type of the field's default value determines how
 * the string is parsed.
 */
export const Env =
  (name: string): PropertyDecorator =>
  (target, key) => {
    const known: Map<string, string> = Reflect.getMetadata(ENV, target) ?? new Map();
    Reflect.defineMetadata(ENV, new Map(known).set(String(key), name), target);
  };

/** Returns the environment variable for each field, in the order of the class. Empty for a class without settings. */
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

/** A field with an invalid value, and the part of the error message that follows the variable name. */
export interface WrongField {
  readonly field: string;
  readonly must: string;
}

/**
 * Builds the settings from the environment. Throws a `ConfigError` that lists all problems. `judge` returns the fields
 * that break a rule.
 */
export function readSettings<T extends object>(
  type: new () => T,
  environment: Readonly<Record<string, string | undefined>>,
  judge: (settings: T) => readonly WrongField[],
): T {
  const settings = new type();
  const names = envNames(type);
  for (const [field, name] of names) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    Object.assign(settings, { [field]: read(text, settings[field as keyof T]) });
  }
  const wrong = judge(settings);
  if (wrong.length === 0) return settings;
  throw new ConfigError(
    wrong.map(({ field, must }) => {
      const name = names.get(field) ?? field;
      return `${name} ${must}${given(name, environment[name])}.`;
    }),
  );
}

const MAY_BE_SECRET = /KEY|TOKEN|URL|SECRET|ISSUER|HTTPS_PROXY/;

/** Returns the value to show in the error message. Does not repeat values that may contain a credential. */
const given = (name: string, text = ''): string =>
  MAY_BE_SECRET.test(name) ? '' : `, not ${JSON.stringify(cut(text, 100, ''))}`;

const FILE = '.env';

/**
 * Returns the variables from the process environment and from `.env` in the working directory. The process environment
 * takes precedence.
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(FILE)) {
    try {
      // The file is read only for the error messages, which are precise.
      readFileSync(FILE);
      process.loadEnvFile(FILE);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ConfigError([`${FILE} cannot be read (${why}). Make it a file that this user may read, or remove it.`]);
    }
  }
  return process.env;
}
