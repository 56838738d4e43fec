// Compiles the client into both module forms and their declarations.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import ts from 'typescript';

const OPTIONS = {
  strict: true,
  skipLibCheck: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
};

/** Returns the files of the package by name. Throws: an error with the compiler's messages. */
export function compile(source, folder) {
  const declarations = declarationsOf(source, folder);
  return {
    'index.mjs': transpiled(source, ts.ModuleKind.ESNext),
    'index.cjs': transpiled(source, ts.ModuleKind.CommonJS),
    'index.d.mts': declarations,
    'index.d.cts': declarations,
  };
}

function declarationsOf(source, folder) {
  const file = join(folder, 'client.ts');
  writeFileSync(file, source);
  let declarations = '';
  const program = ts.createProgram([file], { ...OPTIONS, declaration: true, emitDeclarationOnly: true });
  const { diagnostics } = program.emit(undefined, (_name, text) => {
    declarations = text;
  });
  const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (errors.length === 0) return declarations;
  throw new Error(
    ts.formatDiagnostics(errors, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => folder,
      getNewLine: () => '\n',
    }),
  );
}

function transpiled(source, module) {
  // The declarations contain the comments.
  return ts.transpileModule(source, { compilerOptions: { ...OPTIONS, module, removeComments: true } }).outputText;
}
