import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from '../platform/database/start-error';
import { isRecord } from '../platform/text/json';
import type { Extension } from './extension';

/**
 * The extensions that `EXTENSIONS` names, in its order: packages as the working directory finds them, or files below it. Throws
 * a `StartError` that says which one cannot be loaded and why.
 */
export async function loadExtensions(names: readonly string[], folder: string = process.cwd()): Promise<Extension[]> {
  const loaded: Extension[] = [];
  for (const name of names) loaded.push(await load(name, folder));
  return loaded;
}

async function load(name: string, folder: string): Promise<Extension> {
  const exported = await importFrom(name, folder).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`EXTENSIONS: ${name} cannot be loaded from ${folder} (${why}).`, { cause: error });
  });
  const extension = defaultOf(exported);
  if (extension === null)
    throw new StartError(
      `EXTENSIONS: ${name} has no extension as its default export. Write: export default defineExtension({ name: '…' }).`,
    );
  return extension;
}

async function importFrom(name: string, folder: string): Promise<unknown> {
  const isFile = name.startsWith('.') || isAbsolute(name);
  const path = isFile ? resolve(folder, name) : createRequire(resolve(folder, 'package.json')).resolve(name);
  return (await import(pathToFileURL(path).href)) as unknown;
}

/** Of a CommonJS file compiled from `export default`, the default is inside what Node calls the default. */
function defaultOf(exported: unknown): Extension | null {
  const outer = isRecord(exported) ? exported['default'] : undefined;
  const inner = isRecord(outer) && 'default' in outer ? outer['default'] : outer;
  return isRecord(inner) && typeof inner['name'] === 'string' ? (inner as unknown as Extension) : null;
}
