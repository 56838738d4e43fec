'use strict';
/**
 * Jest's TypeScript transformer. It compiles each file separately and without types (`npm run types` checks them). Its
 * output depends only on the file and the compiler, so all projects, and all of a user's clones, share compiled files.
 * The compiler is loaded only if a file hasn't been compiled yet.
 */
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { version } = require('typescript/package.json');

const root = path.join(__dirname, '../..');
const settings = ['tsconfig.spec.json', 'tsconfig.json'].map((name) => readFileSync(path.join(root, name), 'utf8'));
const fingerprint = [readFileSync(__filename, 'utf8'), version, ...settings].join('\0');
const shelf = path.join(os.tmpdir(), `uptime-monitor-compiled-${os.userInfo().username}`);

let transpile;

function loadCompiler() {
  const ts = require('typescript');
  const { options } = ts.getParsedCommandLineOfConfigFile(
    path.join(root, 'tsconfig.spec.json'),
    { module: ts.ModuleKind.CommonJS, moduleResolution: undefined },
    { ...ts.sys, readDirectory: () => ['none.ts'], onUnRecoverableConfigFileDiagnostic: () => {} },
  );
  return (source, fileName) => {
    const { outputText, sourceMapText } = ts.transpileModule(source, { compilerOptions: options, fileName });
    return { code: outputText, map: sourceMapText };
  };
}

// Uses only the filename, not its folder, so that a copy of the tree (test/repository/recipe-tree.ts) isn't recompiled.
const keyOf = (source, file) =>
  createHash('sha1')
    .update([fingerprint, path.basename(file), source].join('\0'))
    .digest('hex');

const shelved = (source, file) => path.join(shelf, `${keyOf(source, file)}.json`);

/** Returns the compiled file from the cache, or compiles it and caches the result. */
function compile(source, file) {
  const place = shelved(source, file);
  if (existsSync(place)) return JSON.parse(readFileSync(place, 'utf8'));
  transpile ??= loadCompiler();
  const result = transpile(source, file);
  mkdirSync(shelf, { recursive: true });
  const draft = `${place}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(result));
  // Another worker may have written the same file. Either one is fine.
  renameSync(draft, place);
  return result;
}

module.exports = {
  getCacheKey: keyOf,
  isCompiled: (source, file) => existsSync(shelved(source, file)),
  process: compile,
};
