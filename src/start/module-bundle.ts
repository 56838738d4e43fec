import { fstatSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { createRequire, isBuiltin, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** The files of a bundle in its directory. */
export const BUNDLE_FILES = { index: 'index.json', modules: 'modules.bin' } as const;
const OPENING = '(function (exports, require, module, __filename, __dirname) { ';
const CLOSING = '\n})';
/** Matches the directory of the package that contains a file. */
export const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

export interface BundledModule {
  /** The path relative to the root of the package, with slashes. */
  readonly file: string;
  /**
   * One line for each request of the module: the request, a tab, and the number of the module that Node found when the
   * bundle was created.
   */
  readonly requests: string;
  /** The position of the module's compiled code, which is followed by its text. */
  readonly at: number;
  /** The length of V8's compiled code, which contains the functions that run at startup. */
  readonly code: number;
  readonly text: number;
  /** Text with characters outside of Latin-1 needs twice as many bytes. */
  readonly encoding: 'latin1' | 'utf16le';
}

/** Used instead of the number of a module that is loaded on first use. */
const DEFERRED = 'deferred';

/**
 * Returns the line of `BundledModule.requests` for a request. `target` is the number of the module, or `null` if it is
 * loaded on first use.
 */
export const requestLine = (request: string, target: number | null): string => `\n${request}\t${target ?? DEFERRED}\n`;

export interface BundleIndex {
  /** The engine that compiled the code. Code from any other engine is ignored. */
  readonly engine: string;
  readonly modules: readonly BundledModule[];
  /** The version of each package, by directory. */
  readonly packages: Readonly<Record<string, string>>;
}

/** The source from which a `ModuleLoader` gets its modules. */
export interface ModuleSource {
  /** Returns the file for a request, or `null` if Node finds and loads it. */
  resolve(request: string, from: string): string | null;
  /** Returns `null` if Node loads the file. */
  script(file: string): Script | null;
  /** True if the module is loaded only when a property of its exports is read, or when they are called. */
  isDeferred(request: string, from: string): boolean;
}

/** Returns exports that load their module on first use. */
function deferred(load: () => unknown): unknown {
  let exports: object | null = null;
  const loaded = (): object => (exports ??= load() as object);
  return new Proxy(() => {}, {
    // Compiled imports read this property.
    get: (_target, key) => (key === '__esModule' && exports === null ? true : (Reflect.get(loaded(), key) as unknown)),
    apply: (_target, self, args) => Reflect.apply(loaded() as () => unknown, self, args) as unknown,
  });
}

export const engine = (): string => `${process.version} ${process.versions.v8} ${process.platform} ${process.arch}`;

/** Returns a script that runs JavaScript or JSON as CommonJS. Stack traces show its file, line, and column. */
export function moduleScript(file: string, text: string, cachedData?: Buffer): Script {
  return new Script(text, {
    filename: file,
    columnOffset: -OPENING.length,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

/** Returns the text of a file in the form that `moduleScript` takes. */
export function moduleText(file: string, text: string): string {
  const body = file.endsWith('.json') ? `module.exports =\n${text}` : text.replace(/^#!/, '//#!');
  return `${OPENING}${body}${CLOSING}`;
}

type ModuleFunction = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  dirname: string,
) => void;

/**
 * Runs modules like Node's own loader, each once and under its own name in `require.cache`. Other code that requires
 * one of them, such as an extension, receives the same copy. The source is only responsible for finding, reading, and
 * compiling.
 */
export class ModuleLoader {
  constructor(private readonly source: ModuleSource) {}

  /** Returns the module for a file, or `null` if the source does not have it. */
  load(file: string): NodeJS.Module | null {
    const loaded = require.cache[file];
    if (loaded !== undefined) return loaded;
    const script = this.source.script(file);
    if (script === null) return null;
    const module = new Module(file);
    module.filename = file;
    require.cache[file] = module;
    try {
      const run = script.runInThisContext() as ModuleFunction;
      run.call(module.exports, module.exports, this.requireOf(file), module, file, dirname(file));
      module.loaded = true;
    } finally {
      if (!module.loaded) delete require.cache[file];
    }
    return module;
  }

  private requireOf(file: string): NodeJS.Require {
    let own: NodeJS.Require | null = null;
    const native = (): NodeJS.Require => (own ??= createRequire(file));
    const load = (request: string): unknown => {
      if (isBuiltin(request)) return require(request) as unknown;
      if (this.source.isDeferred(request, file)) return deferred(() => native()(request));
      const target = this.source.resolve(request, file);
      const module = target === null ? null : this.load(target);
      return module === null ? (native()(request) as unknown) : (module.exports as unknown);
    };
    return Object.assign(load, {
      cache: require.cache,
      main: require.main,
      extensions: require.extensions,
      resolve: Object.assign((request: string, options?: { paths?: string[] }) => native().resolve(request, options), {
        paths: (request: string) => native().resolve.paths(request),
      }),
    });
  }
}

/**
 * All modules that the service runs at startup, in one file with V8's compiled code. Finding, reading, and compiling
 * 2,600 files used most of the CPU time at startup. If a file is newer than the bundle, or a package has another
 * version, it is loaded from its original location.
 */
export class ModuleBundle implements ModuleSource {
  private readonly modules: ReadonlyMap<string, BundledModule>;
  private readonly files: readonly string[];
  private readonly isCurrent = new Map<string, boolean>();

  private constructor(
    private readonly root: string,
    private readonly isSameEngine: boolean,
    private readonly packages: BundleIndex['packages'],
    modules: readonly BundledModule[],
    /** The file remains open, because modules that are required later are read later. */
    private readonly file: number,
    private readonly madeAt: number,
  ) {
    this.files = modules.map(({ file }) => join(root, file));
    this.modules = new Map(modules.map((module, number) => [this.files[number] ?? '', module]));
  }

  /** Opens the bundle in a directory, or returns `null` if there is none. `root` is the directory of the package. */
  static open(folder: string, root: string): ModuleBundle | null {
    try {
      const index = JSON.parse(readFileSync(join(folder, BUNDLE_FILES.index), 'utf8')) as BundleIndex;
      // In any other location, Node would know the packages under different names and load them again.
      const modules = join(root, 'node_modules');
      if (realpathSync(modules) !== modules) return null;
      const file = openSync(join(folder, BUNDLE_FILES.modules), 'r');
      return new ModuleBundle(
        root,
        index.engine === engine(),
        index.packages,
        index.modules,
        file,
        fstatSync(file).mtimeMs,
      );
    } catch {
      return null;
    }
  }

  resolve(request: string, from: string): string | null {
    const target = this.target(request, from);
    return target === null ? null : (this.files[Number(target)] ?? null);
  }

  isDeferred(request: string, from: string): boolean {
    return this.target(request, from) === DEFERRED;
  }

  /** Searches the text, because 2,800 tables would take 4 MB, and each request is searched for only once. */
  private target(request: string, from: string): string | null {
    const requests = this.modules.get(from)?.requests ?? '';
    const start = `\n${request}\t`;
    const at = requests.indexOf(start);
    return at < 0 ? null : requests.slice(at + start.length, requests.indexOf('\n', at + start.length));
  }

  script(file: string): Script | null {
    const module = this.modules.get(file);
    if (module === undefined || !this.isAsBundled(module.file)) return null;
    const part = Buffer.allocUnsafe(module.code + module.text);
    if (readSync(this.file, part, 0, part.length, module.at) !== part.length) return null;
    const code = this.isSameEngine ? part.subarray(0, module.code) : undefined;
    return moduleScript(file, part.toString(module.encoding, module.code), code);
  }

  private isAsBundled(file: string): boolean {
    const [folder] = PACKAGE_FOLDER.exec(file) ?? [];
    if (folder === undefined) return modifiedAt(join(this.root, file)) <= this.madeAt;
    const known = this.isCurrent.get(folder);
    if (known !== undefined) return known;
    const isCurrent = versionIn(join(this.root, folder)) === this.packages[folder];
    this.isCurrent.set(folder, isCurrent);
    return isCurrent;
  }
}

const modifiedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;

function versionIn(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown }).version;
  } catch {
    return null;
  }
}
