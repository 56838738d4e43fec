// Generates the typed client from docs/openapi.json: `node packages/client/generate.mjs <folder>` writes index.mjs and
// index.cjs, one file each without imports, and their declarations. Nothing here calls home.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';
import { compose } from './compose.mjs';
import { generatorSettings, operationsOf, withTextBodies } from './document.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** The generator's module for the document, as text. Throws with what it said when it fails. */
function generated(document, folder) {
  const [input, config, output] = ['openapi.json', 'redocly.yaml', 'api.ts'].map((name) => join(folder, name));
  writeFileSync(input, JSON.stringify(document));
  writeFileSync(config, JSON.stringify(generatorSettings(document)));
  const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [cli, 'generate-client', input, '--config', config, '--output', output];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...QUIET },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The client was not generated:\n${stdout}${stderr}`);
  return readFileSync(output, 'utf8');
}

function generate(target) {
  const document = withTextBodies(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')));
  const work = join(root, '.cache', `client-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const source = compose(generated(document, work), operationsOf(document));
    for (const [name, text] of Object.entries(compile(source, work))) {
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, name), text);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error('usage: node packages/client/generate.mjs <folder>');
  process.exit(2);
}
try {
  generate(resolve(target));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
