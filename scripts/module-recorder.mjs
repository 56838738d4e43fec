import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { withoutComments } from './without-comments.mjs';

/**
 * Modules that aren't needed to start, by the packages that read their exports only inside functions. They are loaded
 * on first use and aren't part of the bundle.
 */
const DEFERRED = [
  // Drivers for other databases.
  [/\/typeorm\/driver\/DriverFactory\.js$/, /\/(?!PostgresDriver$)\w+Driver$/],
  [/\/class-validator\/cjs\/decorator\/string\/IsPhoneNumber\.js$/, /^libphonenumber-js\/max$/],
  // File uploads.
  [/\/@nestjs\/platform-express\/multer\/interceptors\/[\w-]+\.js$/, /^multer$/],
  // The API document in YAML format.
  [/\/@nestjs\/swagger\/dist\/swagger-module\.js$/, /^js-yaml$/],
];

/** In Node 20, a `node:vm` script can't do that, so Node loads such modules itself. */
const IMPORTS = /\bimport\s*\(/;

/** The source for a `ModuleLoader` that loads everything from its file and records the parts of a bundle. */
export class ModuleRecorder {
  /** `root` is the package's folder without symbolic links. `reader` has the exports of dist/start/module-bundle.js. */
  constructor(root, reader) {
    this.root = root;
    this.reader = reader;
  }

  /** Maps each file to its recorded data. */
  modules = new Map();

  isDeferred(request, from) {
    const isListed = DEFERRED.some(([file, name]) => file.test(from) && name.test(request));
    if (isListed) this.modules.get(from).requests.set(request, null);
    return isListed;
  }

  resolve(request, from) {
    const file = createRequire(from).resolve(request);
    if (!file.startsWith(join(this.root, sep)) || !/\.(js|cjs|json)$/.test(file)) return null;
    this.modules.get(from).requests.set(request, file);
    return file;
  }

  script(file) {
    const source = readFileSync(file, 'utf8');
    const text = this.reader.moduleText(file, file.endsWith('.json') ? source : withoutComments(source));
    if (IMPORTS.test(text)) return null;
    try {
      const script = this.reader.moduleScript(file, text);
      this.modules.set(file, { text, script, requests: new Map() });
      return script;
    } catch (error) {
      // Node loads ES modules.
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** Writes the bundle: each module's code followed by its text, padded to a multiple of 8 bytes. */
  write(folder) {
    const numbers = new Map([...this.modules.keys()].map((file, number) => [file, number]));
    const parts = [];
    let at = 0;
    const written = [...this.modules].map(([file, { text, script, requests }]) => {
      const encoding = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
      const code = script.createCachedData();
      const bytes = Buffer.from(text, encoding);
      const padding = Buffer.alloc((8 - ((code.length + bytes.length) % 8)) % 8);
      parts.push(code, bytes, padding);
      const lines = [...requests]
        .filter(([, target]) => target === null || numbers.has(target))
        .map(([request, target]) => this.reader.requestLine(request, target === null ? null : numbers.get(target)));
      const entry = {
        file: this.fromRoot(file),
        requests: lines.join(''),
        at,
        code: code.length,
        text: bytes.length,
        encoding,
      };
      at += code.length + bytes.length + padding.length;
      return entry;
    });
    const index = {
      engine: this.reader.engine(),
      packages: this.packagesOf(written.map(({ file }) => file)),
      modules: written,
    };
    const aside = `${folder}-${process.pid}`;
    try {
      mkdirSync(aside, { recursive: true });
      writeFileSync(join(aside, this.reader.BUNDLE_FILES.index), JSON.stringify(index));
      writeFileSync(join(aside, this.reader.BUNDLE_FILES.modules), Buffer.concat(parts));
      rmSync(folder, { recursive: true, force: true });
      renameSync(aside, folder);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }

  fromRoot(file) {
    return relative(this.root, file).split(sep).join('/');
  }

  packagesOf(files) {
    const folders = new Set(files.flatMap((file) => this.reader.PACKAGE_FOLDER.exec(file) ?? []));
    return Object.fromEntries(
      [...folders].map((name) => [
        name,
        JSON.parse(readFileSync(join(this.root, name, 'package.json'), 'utf8')).version,
      ]),
    );
  }
}
