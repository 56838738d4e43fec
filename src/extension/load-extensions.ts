import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from '../platform/config/start-error';
import { isRecord } from '../platform/text/json';
import type { Extension } from './extension';
import { rememberFile } from './origin';

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
  const { exported, path } = await importFrom(name, folder).catch((error: unknown) => {
    throw new StartError(`EXTENSIONS: ${name} cannot be loaded from ${folder} (${reasonOf(error)}).`, { cause: error });
  });
  const extension = defaultOf(exported);
  if (extension === null)
    throw new StartError(
      `EXTENSIONS: ${name} has no extension as its default export. Write: export default defineExtension({ name: '…' }).`,
    );
  rememberFile(extension, path);
  return extension;
}

/** Node lists who wanted the module below its message: the first line says what is missing. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]?.replace(/\.$/, '') ?? text;
}

async function importFrom(name: string, folder: string): Promise<{ exported: unknown; path: string }> {
  const isFile = name.startsWith('.') || isAbsolute(name);
  const path = isFile ? createRequire(join(folder, 'x')).resolve(resolve(folder, name)) : packageFile(name, folder);
  return { exported: await import(pathToFileURL(path).href), path };
}

/** Where a package begins, found from the folder upwards. */
function packageFile(name: string, folder: string): string {
  const require = createRequire(join(folder, 'package.json'));
  try {
    return require.resolve(name);
  } catch (error) {
    const file =
      isRecord(error) && error['code'] === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? importOnly(name, require) : null;
    if (file === null) throw error;
    return file;
  }
}

/** The main file of a package that may only be imported: `require` does not find it, and `import` looks no further than here. */
function importOnly(name: string, require: NodeJS.Require): string | null {
  for (const modules of require.resolve.paths(name) ?? []) {
    const file = join(modules, name, 'package.json');
    const text = readIfThere(file);
    if (text === null) continue;
    const { exports } = JSON.parse(text) as { exports?: unknown };
    const target = importTarget(isRecord(exports) && '.' in exports ? exports['.'] : exports);
    return target === null ? null : join(modules, name, target);
  }
  return null;
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The conditions that Node meets, in the order of the package (nodejs.org/api/packages.html, "Conditional exports"). */
function importTarget(target: unknown): string | null {
  if (typeof target === 'string') return target;
  if (!isRecord(target)) return null;
  for (const [condition, next] of Object.entries(target)) {
    if (!['import', 'node', 'module-sync', 'default'].includes(condition)) continue;
    const found = importTarget(next);
    if (found !== null) return found;
  }
  return null;
}

/** Of a CommonJS file compiled from `export default`, the default is inside what Node calls the default. */
function defaultOf(exported: unknown): Extension | null {
  const outer = isRecord(exported) ? exported['default'] : undefined;
  const inner = isRecord(outer) && 'default' in outer ? outer['default'] : outer;
  return isRecord(inner) && typeof inner['name'] === 'string' ? (inner as unknown as Extension) : null;
}
