'use strict';
/**
 * node -r ./scripts/typescript.cjs program.ts: lets a process load TypeScript, like the tests do
 * (scripts/jest/transformer.cjs). Types aren't checked, and each version of a file is compiled only once. `node
 * --enable-source-maps` shows positions in the sources.
 */
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const transformer = require('./jest/transformer.cjs');

const FOLDER = path.join(__dirname, '../.cache/typescript');

function compiled(file) {
  const source = readFileSync(file, 'utf8');
  const kept = path.join(FOLDER, `${transformer.getCacheKey(source, file)}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code, map } = transformer.process(source, file);
    const inline = Buffer.from(JSON.stringify({ ...JSON.parse(map), sources: [file] })).toString('base64');
    const text = code.replace(
      /^\/\/# sourceMappingURL=.*$/m,
      `//# sourceMappingURL=data:application/json;base64,${inline}`,
    );
    keep(kept, text);
    return text;
  }
}

/** Several processes may write the same file at the same time, and some may not be allowed to write. */
function keep(file, text) {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch {
    // The file is compiled again the next time.
  }
}

require.extensions['.ts'] = (module, file) => module._compile(compiled(file), file);
