// The declarations of what package.json exports, made from the sources as they are now.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import ts from 'typescript';
import { asOneTree } from '../dist-layout.mjs';

/** Every path that package.json exports with types, with its file below a folder of declarations: `./checker` → `exports/checker.d.ts`. */
export const exportPaths = ({ exports }) =>
  Object.entries(exports).flatMap(([path, entry]) => {
    const types = entry.types ?? entry.import?.types;
    return types === undefined ? [] : [{ path, file: types.replace('./dist/', '') }];
  });

/** Runs beside the compiler, which leaves a core free. */
async function generateClient(root, folder) {
  const args = [join(root, 'packages/client/generate.mjs'), join(folder, 'client')];
  const generator = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(generator, 'exit');
  if (code !== 0) throw new Error('The client was not generated.');
}

/** The compiler checks nothing here (`npm run types` does), and orders the members of a union the same way each time. */
function compile(root, folder) {
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

/** Writes them below the folder, laid out as in `dist`. It must be inside the project, where its imports are found. */
export async function makeDeclarations(root, folder) {
  const client = generateClient(root, folder);
  // Awaited below; without this a failure while the compiler holds the event loop would end the process.
  client.catch(() => {});
  compile(root, folder);
  await client;
}
