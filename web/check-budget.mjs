// node web/check-budget.mjs [folder]: exits 1 when the built dashboard exceeds its budget, the gzip size of all scripts and of
// all styles in dist/public.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BUDGETS = { '.js': 45 * 1024, '.css': 8 * 1024 };

const root = process.argv[2] ?? fileURLToPath(new URL('../dist/public', import.meta.url));
const files = readdirSync(root, { recursive: true }).map(String);
let failed = files.length === 0;

for (const [extension, budget] of Object.entries(BUDGETS)) {
  const sizes = files
    .filter((file) => file.endsWith(extension))
    .map((file) => ({ file, bytes: gzipSync(readFileSync(join(root, file)), { level: 9 }).length }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { file, bytes } of sizes) console.log(`${(bytes / 1024).toFixed(1).padStart(7)} KiB gz  ${file}`);
  console.log(`${(total / 1024).toFixed(1).padStart(7)} KiB gz  all ${extension} of at most ${budget / 1024} KiB`);
  failed ||= total > budget || sizes.length === 0;
}
process.exitCode = failed ? 1 : 0;
