'use strict';
/**
 * node check-types.cjs <tsconfig> <files…>: prints the compiler's errors in these files, and exits with code 1 if
 * there are any.
 */
const path = require('node:path');
const ts = require('typescript');

const [settings, ...names] = process.argv.slice(2);
const { config } = ts.readConfigFile(settings, (file) => ts.sys.readFile(file));
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(path.resolve(settings)));
const files = names.map((name) => path.resolve(name));
const program = ts.createProgram(files, { ...options, incremental: false, noEmit: true });
const problems = files.flatMap((file) => {
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
});
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => process.cwd(), getNewLine: () => '\n' };
process.stdout.write(ts.formatDiagnostics(problems, host));
process.exitCode = problems.length > 0 ? 1 : 0;
