'use strict';
/**
 * Jest's TypeScript transformer: each file alone, without types (`npm run types` checks them). What it writes depends on
 * the file and the compiler only, so that all projects share one cached result; the compiler is loaded on a cache miss.
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { version } = require('typescript/package.json');

const root = path.join(__dirname, '../..');
const settings = ['tsconfig.spec.json', 'tsconfig.json'].map((name) => readFileSync(path.join(root, name), 'utf8'));
const fingerprint = [readFileSync(__filename, 'utf8'), version, ...settings].join('\0');

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

module.exports = {
  // Of a file's place only its name counts: a copy of the tree (test/repository/recipe-tree.ts) is not compiled again.
  getCacheKey: (source, file) =>
    createHash('sha1')
      .update([fingerprint, path.basename(file), source].join('\0'))
      .digest('hex'),
  process(source, file) {
    transpile ??= loadCompiler();
    return transpile(source, file);
  },
};
