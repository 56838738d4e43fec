import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The folder with inputs from the field. Its README describes their format. */
export const FIELD_FOLDER = join(__dirname, '../../fixtures/field');

/** The fields in every file of the corpus. */
export interface FieldCase {
  /** The filename without its extension. */
  name: string;
  /** Why the outcome is correct. */
  why: string;
  /** Where the input comes from. */
  seen: string;
}

/** Returns the kinds of inputs, which are the folders in the corpus. */
export const fieldKinds = (): string[] =>
  readdirSync(FIELD_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/**
 * Returns all inputs of one kind, sorted by name. `keys` are the keys that a file may have in addition to `why` and
 * `seen`. Throws if a file has another key or lacks `why` or `seen`, because a misspelled key would test nothing.
 */
export function fieldCases<T>(kind: string, keys: readonly (keyof T & string)[]): (FieldCase & T)[] {
  const folder = join(FIELD_FOLDER, kind);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.yaml')) : [];
  if (files.length === 0) throw new Error(`${folder} has no .yaml file`);
  return files.sort().map((file) => {
    const content = parse(readFileSync(join(folder, file), 'utf8')) as FieldCase & T;
    const known: readonly string[] = ['why', 'seen', ...keys];
    for (const key of Object.keys(content))
      if (!known.includes(key)) throw new Error(`${kind}/${file}: unknown ${key}`);
    for (const key of ['why', 'seen'] as const)
      if (typeof content[key] !== 'string' || content[key] === '')
        throw new Error(`${kind}/${file}: ${key} is missing`);
    return { ...content, name: file.slice(0, -'.yaml'.length) };
  });
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
