import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './copies';

/** Where an extension was defined: the file, and the folder of the package that it is in. */
export interface Origin {
  readonly name: string;
  readonly file: string;
  readonly folder: string;
}

/** An extension, as far as its place is concerned. */
interface Named {
  readonly name: string;
}

const files = new WeakMap<Named, string>();

/** Keeps in which file an extension is; the first that is told counts. */
export function rememberFile(extension: Named, file: string | undefined): void {
  if (file !== undefined && !files.has(extension)) files.set(extension, file);
}

/** Nothing for one that was neither defined by `defineExtension` nor loaded. */
export function originsOf(extensions: readonly Named[]): Origin[] {
  return extensions.flatMap((extension) => {
    const file = files.get(extension);
    return file === undefined ? [] : [{ name: extension.name, file, folder: packageFolder(file) ?? projectOf(file) }];
  });
}

/** The nearest folder with a `package.json`; the file's own when there is none. */
function projectOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(file);
}

/** Whose code a stack goes through; of several in one package the one whose file it names. `null`: no extension's. */
export function extensionIn(stack: string, origins: readonly Origin[]): string | null {
  const named = filesIn(stack);
  const owner =
    origins.find(({ file }) => named.includes(file)) ??
    origins.find(({ folder }) => named.some((file) => isOwn(relative(folder, file))));
  return owner?.name ?? null;
}

/** Inside the folder, and not of a package that is installed there. */
const isOwn = (path: string): boolean =>
  path !== '' && !path.startsWith('..') && !path.split(sep).includes('node_modules') && !/^[A-Za-z]:/.test(path);

/** The files of a stack, from the innermost call outwards. */
export const filesIn = (stack: string): string[] =>
  stack.split('\n').flatMap((line) => {
    const call = /^\s+at (.*)/.exec(line)?.[1] ?? '';
    const [, place = 'node:'] = /^(?:async )?(.+):\d+:\d+\)?$/.exec(call.slice(call.lastIndexOf('(') + 1)) ?? [];
    if (place.startsWith('node:')) return [];
    return [place.startsWith('file:') ? fileURLToPath(place) : place];
  });
