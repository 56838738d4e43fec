/**
 * Prints the constant SQL statements of the service as JSON. Run it with `-r ./scripts/typescript.cjs`, because it adds
 * a line to each module while the module is loaded. The line evaluates the statements where their constants are in
 * scope.
 */
import { readdirSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { constantsOf } from './constant-arguments';

export interface Statement {
  /** The file and the line of the call. */
  readonly at: string;
  readonly sql: string;
}

const root = join(__dirname, '../../..');
const found: Statement[] = [];

const transformer = require(join(root, 'scripts/jest/transformer.cjs')) as {
  process(source: string, file: string): { code: string };
};
const compiled = (source: string, file: string): string => transformer.process(source, file).code;

Reflect.set(globalThis, 'foundStatement', (at: string, value: unknown) => {
  const texts = Array.isArray(value) ? value : [value];
  for (const sql of texts) if (typeof sql === 'string') found.push({ at, sql });
});

const extensions = Reflect.get(Module, '_extensions') as Record<
  string,
  (module: { _compile(code: string, file: string): void }, file: string) => void
>;
extensions['.ts'] = (module, file) => {
  const source = readFileSync(file, 'utf8');
  // Each migration fits the schema of its time.
  if (!source.includes('.query') || file.includes('migrations')) return module._compile(compiled(source, file), file);
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lines = constantsOf(parsed, 'query').map(({ line, variants }) => {
    const at = JSON.stringify(`${relative(root, file)}:${line}`);
    return variants.map((variant) => `foundStatement(${at}, ${variant});`).join('\n');
  });
  module._compile(compiled(`${source}\n// @ts-nocheck\n${lines.join('\n')}`, file), file);
};

for (const folder of ['src', 'packages/cli'])
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const file = join(root, folder, name);
    if (!/(?<!\.spec|\.d|^main)\.ts$/.test(name)) continue;
    if (readFileSync(file, 'utf8').includes('.query')) require(file);
  }

process.stdout.write(JSON.stringify(found), () => process.exit(0));
