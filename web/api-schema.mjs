// node web/api-schema.mjs: converts the API schemas in docs/openapi.json to TypeScript types in
// web/src/api/schema.d.ts, which Git ignores.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';

const DOCUMENT = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const SCHEMA = fileURLToPath(new URL('./src/api/schema.d.ts', import.meta.url));
const HEADER = '// Generated from docs/openapi.json by web/api-schema.mjs; do not edit.\n\n';

// The paths make up most of the document, and the dashboard uses only the schemas.
const { openapi, info, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const types = HEADER + astToString(await openapiTypes({ openapi, info, paths: {}, components }));
if (!existsSync(SCHEMA) || readFileSync(SCHEMA, 'utf8') !== types) {
  // The compiler and the linter may be reading the file right now, so it is replaced atomically.
  const draft = `${SCHEMA}.${process.pid}`;
  writeFileSync(draft, types);
  renameSync(draft, SCHEMA);
}
