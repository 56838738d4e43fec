// node web/check-budget.mjs [folder]: exits with code 1 if the gzipped size of a built page exceeds its budget. For the
// dashboard in dist/public, it checks the first page's scripts, all scripts, and the styles. For the API reference in
// dist/public/docs and the help in dist/public/help, it checks the scripts and the styles.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = process.argv[2] ?? fileURLToPath(new URL('../dist/public', import.meta.url));
const files = readdirSync(root, { recursive: true }).map(String);
const index = join(root, 'index.html');
const html = existsSync(index) ? readFileSync(index, 'utf8') : '';
const isReference = (file) => /^docs[/\\]/.test(file);
const isHelp = (file) => /^help[/\\]/.test(file);
const isDashboard = (file) => !isReference(file) && !isHelp(file);
const endsWith = (extension) => (file) => file.endsWith(extension);

/** Whether the HTML page itself loads the script. The dashboard's other pages are fetched when they are opened. */
const isFirst = (file) => endsWith('.js')(file) && html.includes(`/${file.replaceAll('\\', '/')}"`);
const BUDGETS = [
  {
    what: '.js that the overview of the dashboard loads',
    budget: 40,
    counts: (file) => isDashboard(file) && isFirst(file),
  },
  // No one waits for all of these files, because every section except the overview is fetched when it is opened. Counted
  // with Brotli, as the service sends them to browsers. Raised from 150 for reports, names of endpoints on the incident's
  // page, and help from the dashboard. A library added by accident would exceed what is left.
  {
    what: 'all .js of the dashboard with Brotli',
    budget: 159,
    isBrotli: true,
    counts: (file) => isDashboard(file) && endsWith('.js')(file),
  },
  // Raised from 12 for the navigation in three places, for reports, and for the endpoint's form and page, whose styles are
  // fetched with them. The first page loads 11 KiB.
  { what: 'all .css of the dashboard', budget: 16, counts: (file) => isDashboard(file) && endsWith('.css')(file) },
  { what: 'all .js of the API reference', budget: 16, counts: (file) => isReference(file) && endsWith('.js')(file) },
  { what: 'all .js and .css of the help', budget: 16, counts: isHelp },
  { what: 'all .css of the API reference', budget: 6, counts: (file) => isReference(file) && endsWith('.css')(file) },
];
const KIB = 1024;
const kib = (bytes, isBrotli = false) => `${(bytes / KIB).toFixed(1).padStart(7)} KiB ${isBrotli ? 'br' : 'gz'}`;

/** The size with the quality that the service uses. */
const brotli = (file) =>
  brotliCompressSync(readFileSync(join(root, file)), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length;

const sizes = new Map();
for (const file of files.filter((name) => /\.(js|css)$/.test(name))) {
  sizes.set(file, gzipSync(readFileSync(join(root, file)), { level: 9 }).length);
  console.log(`${kib(sizes.get(file))}  ${file}`);
}
let failed = false;
for (const { what, budget, counts, isBrotli } of BUDGETS) {
  const counted = [...sizes].filter(([file]) => counts(file));
  const total = counted.reduce((sum, [file, bytes]) => sum + (isBrotli ? brotli(file) : bytes), 0);
  console.log(`${kib(total, isBrotli)}  ${what}, of at most ${budget} KiB`);
  failed ||= total > budget * KIB || counted.length === 0;
}
process.exitCode = failed ? 1 : 0;
