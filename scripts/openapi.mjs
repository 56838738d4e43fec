// Writes docs/openapi.json based on the routes, and docs/reference/problems.md based on that document. Tests compare the
// committed copy with the one that the service serves.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);

const require = createRequire(import.meta.url);
const { createApp } = require(join(root, 'dist/app.js'));
const { Config } = require(join(root, 'dist/platform/config/config.js'));
const { problemsPage } = require('./problems-page.cjs');
const { openApiDocument } = require(join(root, 'dist/platform/openapi/openapi.js'));

const config = Object.assign(new Config(), {
  databaseUrl: 'embedded:memory',
  role: 'api',
  logLevel: 'error',
  operatorToken: 'x'.repeat(24),
  bootstrapApiKey: 'x'.repeat(24),
});
const app = await createApp(config);
const document = openApiDocument(app);
writeFileSync(join(root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
const page = await format(problemsPage(document), { parser: 'markdown', ...(await resolveConfig(root)) });
writeFileSync(join(root, 'docs/reference/problems.md'), page);
await app.close();
console.log('Wrote docs/openapi.json and docs/reference/problems.md');
process.exit(0);
