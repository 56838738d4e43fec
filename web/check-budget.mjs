// node web/check-budget.mjs [folder]: exits 1 when a built page exceeds its budget, the gzip size of all its scripts and of
// all its styles: the dashboard in dist/public, the API reference in dist/public/docs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BUDGETS = [
  { page: 'dashboard', extension: '.js', budget: 60 * 1024 },
  { page: 'dashboard', extension: '.css', budget: 8 * 1024 },
  { page: 'API reference', extension: '.js', budget: 16 * 1024 },
  { page: 'API reference', extension: '.css', budget: 6 * 1024 },
];

const root = process.argv[2] ?? fileURLToPath(new URL('../dist/public', import.meta.url));
const files = readdirSync(root, { recursive: true }).map(String);
const pageOf = (file) => (/^docs[/\\]/.test(file) ? 'API reference' : 'dashboard');
let failed = files.length === 0;

for (const { page, extension, budget } of BUDGETS) {
  const sizes = files
    .filter((file) => file.endsWith(extension) && pageOf(file) === page)
    .map((file) => ({ file, bytes: gzipSync(readFileSync(join(root, file)), { level: 9 }).length }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { file, bytes } of sizes) console.log(`${(bytes / 1024).toFixed(1).padStart(7)} KiB gz  ${file}`);
  console.log(
    `${(total / 1024).toFixed(1).padStart(7)} KiB gz  all ${extension} of the ${page}, of at most ${budget / 1024} KiB`,
  );
  failed ||= total > budget || sizes.length === 0;
}
process.exitCode = failed ? 1 : 0;
