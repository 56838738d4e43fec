// Generates the typed client from docs/openapi.json. It writes index.mjs and index.cjs to this folder, along with their
// declarations. Neither file has imports, and Git ignores all of them. If the files are up to date, it does
// nothing. It sends no telemetry.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'packages/client');
const stamp = join(root, '.cache/client-built-from');
const DOCUMENT = join(root, 'docs/openapi.json');
const FILES = ['index.mjs', 'index.cjs', 'index.d.mts', 'index.d.cts'];
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Changes when the document, the generator, or our layer changes. */
function fingerprint() {
  const own = readdirSync(folder, { recursive: true }).filter((name) => /\.(mjs|ts)$/.test(name));
  const inputs = own.filter((name) => !FILES.includes(name)).map((name) => join(folder, name));
  const hash = createHash('sha256');
  for (const file of [DOCUMENT, join(root, 'package-lock.json'), ...inputs.sort()])
    hash.update(`${relative(root, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Returns the generated module for the document as a string. Throws: an error with the generator's output. */
function generated(document, settings, work) {
  const [input, config, output] = ['openapi.json', 'redocly.yaml', 'api.ts'].map((name) => join(work, name));
  writeFileSync(input, JSON.stringify(document));
  writeFileSync(config, JSON.stringify(settings));
  const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [cli, 'generate-client', input, '--config', config, '--output', output];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: work,
    env: { ...process.env, ...QUIET },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Could not generate the client:\n${stdout}${stderr}`);
  return readFileSync(output, 'utf8');
}

async function generate() {
  // Imported here, because loading the compiler takes longer than checking whether there is anything to do.
  const [{ compile }, { compose }, { generatorSettings, operationsOf, withoutPlain, withTextBodies }] =
    await Promise.all([import('./compile.mjs'), import('./compose.mjs'), import('./document.mjs')]);
  const document = withTextBodies(withoutPlain(JSON.parse(readFileSync(DOCUMENT, 'utf8'))));
  const work = join(root, '.cache', `client-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const source = compose(generated(document, generatorSettings(document), work), operationsOf(document));
    for (const [name, text] of Object.entries(compile(source, work))) {
      // Another process may be reading the file right now.
      writeFileSync(join(work, name), text);
      renameSync(join(work, name), join(folder, name));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

try {
  const inputs = fingerprint();
  const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs;
  if (!isFresh || !FILES.every((name) => existsSync(join(folder, name)))) {
    await generate();
    writeFileSync(stamp, inputs);
  }
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
