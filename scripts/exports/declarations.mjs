// Creates declarations for everything that package.json exports, from the current sources.
import { join } from 'node:path';
import ts from 'typescript';
import { asOneTree } from '../dist-layout.mjs';

/**
 * Every path that package.json exports with types from this repository, and its file in a folder of declarations, such
 * as `./checker` → `exports/checker.d.ts`. The client's types come from the API document.
 */
export const exportPaths = ({ exports }) =>
  Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined ? [] : [{ path, file: types.replace('./dist/', '') }],
  );

/**
 * Writes the declarations to the folder, with the same layout as `dist`. The folder must be inside the project, so that
 * imports can be resolved. The compiler checks nothing here (`npm run types` does), and always orders the members of a
 * union the same way.
 */
export function makeDeclarations(root, folder) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => fail([diagnostic]) };
  const fixed = { emitDeclarationOnly: true, noCheck: true, stableTypeOrdering: true, outDir: folder };
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), fixed, host);
  const doors = [join(root, 'src/exports/'), join(root, 'packages/testing/index.ts')];
  const entries = fileNames.filter((name) => doors.some((door) => name.startsWith(door)));
  const { emitSkipped, diagnostics } = ts.createProgram(entries, options).emit();
  if (emitSkipped) fail(diagnostics);
  asOneTree(folder);
}

function fail(diagnostics) {
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    getNewLine: () => '\n',
  };
  throw new Error(`The declarations were not made:\n${ts.formatDiagnostics(diagnostics, host)}`);
}
