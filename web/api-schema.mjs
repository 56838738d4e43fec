// node web/api-schema.mjs [--check]: writes the API's schemas as types, from docs/openapi.json to web/src/api/schema.d.ts.
// With --check it writes nothing and exits 1 when the committed file differs. `npm run openapi` runs it too.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';

const DOCUMENT = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const SCHEMA = fileURLToPath(new URL('./src/api/schema.d.ts', import.meta.url));
const HEADER = '// Generated from docs/openapi.json by "npm run openapi"; do not edit.\n\n';

/**
 * The text of schema.d.ts. Without the paths: they are most of the document, and the dashboard uses the schemas only.
 */
async function schemaTypes() {
  const { openapi, info, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const types = await openapiTypes({ openapi, info, paths: {}, components });
  return HEADER + astToString(types);
}

/** Whether the committed file is what docs/openapi.json makes. */
const isCurrent = (types) => existsSync(SCHEMA) && readFileSync(SCHEMA, 'utf8') === types;

/** Writes schema.d.ts where it differs: an untouched file needs no new build. */
export async function writeApiSchema() {
  const types = await schemaTypes();
  if (isCurrent(types)) return;
  writeFileSync(SCHEMA, types);
  console.log('Wrote web/src/api/schema.d.ts');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) await writeApiSchema();
  else if (!isCurrent(await schemaTypes())) {
    console.error('web/src/api/schema.d.ts does not match docs/openapi.json: run "npm run openapi" and commit both');
    process.exitCode = 1;
  }
}
