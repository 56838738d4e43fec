import { fstatSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { createRequire, isBuiltin, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** The files of a bundle, in its folder. */
export const BUNDLE_FILES = { index: 'index.json', modules: 'modules.bin' } as const;
const OPENING = '(function (exports, require, module, __filename, __dirname) { ';
const CLOSING = '\n})';
/** The folder of the package that a file is of. */
export const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The index entry of a module. */
export interface BundledModule {
  /** The path from the root of the package, with slashes. */
  readonly file: string;
  /** For each request of the module a line: the request, a tab, and the number of the module that Node found when the bundle was made. */
  readonly requests: string;
  /** The position of its code. Its text follows. */
  readonly at: number;
  /** The length of the code that V8 made of it: the functions that a start runs are in it, compiled. */
  readonly code: number;
  readonly text: number;
  /** Texts that Latin-1 cannot write need twice the bytes. */
  readonly encoding: 'latin1' | 'utf16le';
}

/** Stands for the number of a module that is loaded at its first use. */
const DEFERRED = 'deferred';

/** The line of `BundledModule.requests` for a request. `target`: the number of the module, or `null` if it is loaded at its first use. */
export const requestLine = (request: string, target: number | null): string => `\n${request}\t${target ?? DEFERRED}\n`;

/** The index of a bundle. */
export interface BundleIndex {
  /** Code of another engine is not even tried. */
  readonly engine: string;
  readonly modules: readonly BundledModule[];
  /** Folder of each package → its version. */
  readonly packages: Readonly<Record<string, string>>;
}

/** Where a `ModuleLoader` gets its modules from. */
export interface ModuleSource {
  /** The file of a request; `null` if Node finds and loads it. */
  resolve(request: string, from: string): string | null;
  /** `null` if Node loads the file. */
  script(file: string): Script | null;
  /** Whether the module is loaded only when a property of its exports is read, or when they are called. */
  isDeferred(request: string, from: string): boolean;
}

/** Exports of a module that is loaded at their first use. */
function deferred(load: () => unknown): unknown {
  let exports: object | null = null;
  const loaded = (): object => (exports ??= load() as object);
  return new Proxy(() => {}, {
    // Compilers ask for this mark when they import.
    get: (_target, key) => (key === '__esModule' && exports === null ? true : (Reflect.get(loaded(), key) as unknown)),
    apply: (_target, self, args) => Reflect.apply(loaded() as () => unknown, self, args) as unknown,
  });
}

/** The engine that runs this. */
export const engine = (): string => `${process.version} ${process.versions.v8} ${process.platform} ${process.arch}`;

/** A file of JavaScript or JSON as CommonJS runs it; stack traces name its file, line and column. */
export function moduleScript(file: string, text: string, cachedData?: Buffer): Script {
  return new Script(text, {
    filename: file,
    columnOffset: -OPENING.length,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

/** The text of a file as `moduleScript` takes it. */
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
 * Runs modules as Node's own loader does, each once and under its own name in `require.cache`: whoever else requires one
 * of them, an extension for example, gets the same, so there is one copy of everything. Only finding, reading and compiling
 * is somebody else's.
 */
export class ModuleLoader {
  constructor(private readonly source: ModuleSource) {}

  /** What the file exports; `null` when the source does not have it. */
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
 * All modules that a start of the service runs, in one file beside what V8 made of them: finding, reading and compiling
 * 2,600 files was most of the CPU of a start. A file that was written after the bundle, and a package of another version, is
 * loaded from its own place, as everything is without a bundle.
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
    /** Stays open: modules that are required late are read late. */
    private readonly file: number,
    private readonly madeAt: number,
  ) {
    this.files = modules.map(({ file }) => join(root, file));
    this.modules = new Map(modules.map((module, number) => [this.files[number] ?? '', module]));
  }

  /** The bundle in a folder; `null` without one. `root`: of the package. */
  static open(folder: string, root: string): ModuleBundle | null {
    try {
      const index = JSON.parse(readFileSync(join(folder, BUNDLE_FILES.index), 'utf8')) as BundleIndex;
      // Elsewhere Node would know the packages under other names, and load them once more.
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

  /** Searched in the text: 2,800 tables would take 4 MB, and each request is searched once. */
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
