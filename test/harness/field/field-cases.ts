import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Where the inputs from the field are; their form is described in the README there. */
export const FIELD_FOLDER = join(__dirname, '../../fixtures/field');

/** What every file of the corpus has. */
export interface FieldCase {
  /** The name of the file without its ending. */
  name: string;
  /** Why the outcome is right. */
  why: string;
  /** Where the input comes from. */
  seen: string;
}

/** The kinds of inputs: the folders of the corpus. */
export const fieldKinds = (): string[] =>
  readdirSync(FIELD_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/**
 * All inputs of one kind, by name. `keys` are those that a file may have beside `why` and `seen`. Throws when a file has
 * another one or lacks `why` or `seen`: a misspelt key would test nothing.
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

/** A string of the corpus as bytes. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
