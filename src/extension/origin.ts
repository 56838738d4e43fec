import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './copies';

/** The place of an extension: its file, and the folder of its package. */
export interface Origin {
  readonly name: string;
  readonly file: string;
  readonly folder: string;
}

/** An extension, reduced to its name. */
interface Named {
  readonly name: string;
}

const files = new WeakMap<Named, string>();

/** Stores the file of an extension. The first one counts. */
export function rememberFile(extension: Named, file: string | undefined): void {
  if (file !== undefined && !files.has(extension)) files.set(extension, file);
}

/** Returns the places of extensions. It omits those that were neither loaded nor defined by `defineExtension`. */
export function originsOf(extensions: readonly Named[]): Origin[] {
  return extensions.flatMap((extension) => {
    const file = files.get(extension);
    return file === undefined ? [] : [{ name: extension.name, file, folder: packageFolder(file) ?? projectOf(file) }];
  });
}

/** Returns the nearest folder with a `package.json`, otherwise the file's folder. */
function projectOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(file);
}

/**
 * Returns the extension whose code is in a stack, or `null`. If a package has several extensions, the one whose file is
 * named.
 */
export function extensionIn(stack: string, origins: readonly Origin[]): string | null {
  const named = filesIn(stack);
  const owner =
    origins.find(({ file }) => named.includes(file)) ??
    origins.find(({ folder }) => named.some((file) => isOwn(relative(folder, file))));
  return owner?.name ?? null;
}

/** Whether a path is inside the folder, but not in an installed package there. */
const isOwn = (path: string): boolean =>
  path !== '' && !path.startsWith('..') && !path.split(sep).includes('node_modules') && !/^[A-Za-z]:/.test(path);

/** Returns the files of a stack, from the innermost call outwards. */
export const filesIn = (stack: string): string[] =>
  stack.split('\n').flatMap((line) => {
    const call = /^\s+at (.*)/.exec(line)?.[1] ?? '';
    const [, place = 'node:'] = /^(?:async )?(.+):\d+:\d+\)?$/.exec(call.slice(call.lastIndexOf('(') + 1)) ?? [];
    if (place.startsWith('node:')) return [];
    return [place.startsWith('file:') ? fileURLToPath(place) : place];
  });
