import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '../platform/config/start-error';

const SELF = 'uptime-monitor';
/**
 * Packages that identify objects by class or store metadata for decorators. A second copy does not see the objects and
 * metadata of the first one.
 */
const SINGLE = [
  SELF,
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/schedule',
  '@nestjs/typeorm',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'typeorm',
] as const;
/** Matches `…/node_modules/@nestjs/common/` in a path. The last such directory is the file's package. */
const PACKAGE_FOLDER = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/;

/** Returns the directory of the installed package that contains a file, or `null`. */
export const packageFolder = (file: string): string | null => PACKAGE_FOLDER.exec(file)?.[1] ?? null;

/** A package that was loaded from a different directory than the service's. */
export interface Copy {
  readonly name: string;
  readonly folder: string;
  readonly ownFolder: string;
}

/**
 * Throws: a `StartError` if an extension has loaded a second copy of a package that must be unique. The message lists
 * the copies and the fix.
 */
export function requireOneCopy(): void {
  // In jest, this is the registry of the current test file.
  const copies = otherCopies(Object.keys(require.cache), ownFolders());
  if (copies.length > 0) throw new StartError(copySentences(copies, versionIn).join('\n'));
}

/**
 * Returns every other copy that contains one of the loaded files. `own` contains the service's directory for each
 * package.
 */
export function otherCopies(files: readonly string[], own: ReadonlyMap<string, string>): Copy[] {
  const found = new Map<string, Copy>();
  for (const file of files) {
    const [, folder, path] = PACKAGE_FOLDER.exec(file) ?? [];
    const name = path?.replace('\\', '/');
    const ownFolder = name === undefined ? undefined : own.get(name);
    if (name === undefined || folder === undefined || ownFolder === undefined || folder === ownFolder) continue;
    found.set(folder, { name, folder, ownFolder });
  }
  return [...found.values()];
}

/**
 * Returns one sentence for each copy. A second copy of the service brings copies of all the others, so only that one is
 * reported.
 */
export function copySentences(copies: readonly Copy[], versionOf: (folder: string) => string): string[] {
  const ofService = copies.filter(({ name }) => name === SELF);
  return (ofService.length > 0 ? ofService : copies).map(({ name, folder, ownFolder }) => {
    const both = `${versionOf(ownFolder)} in ${ownFolder}`;
    const other = `${versionOf(folder)} in ${folder}`;
    return name === SELF
      ? `Two copies of ${name} are loaded: ${both}, which was started, and ${other}, which an extension imports. Neither copy finds what the other provides. Start the copy in the project where the extension is installed (run npx ${name} there).`
      : `Two copies of ${name} are loaded: ${both}, which the service uses, and ${other}, which an extension imports. Neither copy finds what the other provides. In the extension, declare a peer dependency that allows ${versionOf(ownFolder)}, then run npm dedupe (npm ls ${name} shows which package requires another version).`;
  });
}

function ownFolders(): Map<string, string> {
  const folders = SINGLE.flatMap((name): [string, string][] => {
    if (name === SELF) return [[name, resolve(__dirname, '../..')]];
    const [, folder] = PACKAGE_FOLDER.exec(require.resolve(name)) ?? [];
    return folder === undefined ? [] : [[name, folder]];
  });
  return new Map(folders);
}

function versionIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? version : 'an unknown version';
}
