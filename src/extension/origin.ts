import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './copies';

/** The origin of an extension: its file, and the directory of its package. */
export interface Origin {
  readonly name: string;
  readonly file: string;
  readonly folder: string;
}

/** The name of an extension. */
interface Named {
  readonly name: string;
}

const files = new WeakMap<Named, string>();

/** Stores the file of an extension. Later calls have no effect. */
export function rememberFile(extension: Named, file: string | undefined): void {
  if (file !== undefined && !files.has(extension)) files.set(extension, file);
}

/** Returns the origins of extensions. It omits those that were neither loaded nor defined by `defineExtension`. */
export function originsOf(extensions: readonly Named[]): Origin[] {
  return extensions.flatMap((extension) => {
    const file = files.get(extension);
    return file === undefined ? [] : [{ name: extension.name, file, folder: packageFolder(file) ?? projectOf(file) }];
  });
}

/** Returns the nearest directory with a `package.json`, or else the file's directory. */
function projectOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(file);
}

/**
 * Returns the extension whose code appears in a stack trace, or `null`. If a package has several extensions, returns
 * the one whose file appears.
 */
export function extensionIn(stack: string, origins: readonly Origin[]): string | null {
  const named = filesIn(stack);
  const owner =
    origins.find(({ file }) => named.includes(file)) ??
    origins.find(({ folder }) => named.some((file) => isOwn(relative(folder, file))));
  return owner?.name ?? null;
}

/** Returns true if a path is inside the directory, but not in a package installed there. */
const isOwn = (path: string): boolean =>
  path !== '' && !path.startsWith('..') && !path.split(sep).includes('node_modules') && !/^[A-Za-z]:/.test(path);

/** Returns the files in a stack trace, from the innermost call outward. */
export const filesIn = (stack: string): string[] =>
  stack.split('\n').flatMap((line) => {
    const call = /^\s+at (.*)/.exec(line)?.[1] ?? '';
    const [, place = 'node:'] = /^(?:async )?(.+):\d+:\d+\)?$/.exec(call.slice(call.lastIndexOf('(') + 1)) ?? [];
    if (place.startsWith('node:')) return [];
    return [place.startsWith('file:') ? fileURLToPath(place) : place];
  });
