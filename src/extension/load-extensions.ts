import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from '../platform/config/start-error';
import { isRecord } from '../platform/text/json';
import type { Extension } from './extension';
import { rememberFile } from './origin';

/**
 * Loads the extensions in `EXTENSIONS`, in order. They are packages that can be resolved from the working directory, or
 * files below it. Throws: a `StartError` that names the extension that can't be loaded, and the reason.
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

/**
 * Returns the first line of Node's message, which names the missing module. The next lines list the importing files.
 */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]?.replace(/\.$/, '') ?? text;
}

async function importFrom(name: string, folder: string): Promise<{ exported: unknown; path: string }> {
  const isFile = name.startsWith('.') || isAbsolute(name);
  const path = isFile ? createRequire(join(folder, 'x')).resolve(resolve(folder, name)) : packageFile(name, folder);
  return { exported: await import(pathToFileURL(path).href), path };
}

/** Returns the main file of a package, searching from the directory upward. */
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

/**
 * Returns the main file of a package that only supports `import`. `require` can't find it, and `import` does not search
 * from another directory.
 */
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

/**
 * The conditions that Node accepts, in the order in which the package lists them (nodejs.org/api/packages.html,
 * "Conditional exports").
 */
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

/** If a CommonJS file was compiled from `export default`, that default is nested inside Node's default. */
function defaultOf(exported: unknown): Extension | null {
  const outer = isRecord(exported) ? exported['default'] : undefined;
  const inner = isRecord(outer) && 'default' in outer ? outer['default'] : outer;
  return isRecord(inner) && typeof inner['name'] === 'string' ? (inner as unknown as Extension) : null;
}
