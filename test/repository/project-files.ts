import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const readJson = (path: string): unknown => JSON.parse(readText(path));

const yaml = createRequire(join(ROOT, 'package.json'))('js-yaml') as { loadAll(text: string): unknown[] };

/** Parses every document of a YAML text. Throws if it isn't YAML. */
export const parseYaml = (text: string): unknown[] => yaml.loadAll(text);

/** Parses a YAML file with one document. */
export function readYaml(path: string): unknown {
  const [only, ...more] = parseYaml(readText(path));
  if (only === undefined || more.length > 0) throw new Error(`${path} is not one document`);
  return only;
}

/** Returns the value of an expression about a module of scripts/ (`it`), because Jest can't load such a module. */
export function askScript(module: string, expression: string): unknown {
  const program = `import * as it from ${JSON.stringify(`${ROOT}/scripts/${module}`)};
    import { readFileSync } from 'node:fs';
    process.stdout.write(JSON.stringify(${expression}));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT }).toString(),
  ) as unknown;
}

/** `it` if the program can run, otherwise `it.skip`. */
export const itWith = (program: string, ...args: string[]): jest.It =>
  spawnSync(program, args).status === 0 ? it : it.skip;
