// Lists the license of every production dependency in package-lock.json and exits with code 1 if one isn't on the list
// below. If the lock file doesn't contain a package's license, the installed package is read.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** SPDX IDs of licenses that may be shipped with an MIT-licensed service. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
]);

/** Built into the dashboard and therefore shipped, although a production install doesn't include them. */
export const BUNDLED = ['preact', '@preact/signals', '@preact/signals-core', 'lean-qr', 'uplot', 'minisearch'];

/** Packages that contain a license text but don't name the license. Reviewed manually. */
const READ = new Map([['color-convert@0.5.3', 'MIT']]);

/** For `A OR B`, one of the licenses must be allowed. For `A AND B`, both must be. */
export const isAllowed = (expression) =>
  expression
    .replace(/[()]/g, '')
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((id) => ALLOWED.has(id.trim())));

/** Returns the SPDX expression. Some old packages have an object, or a list of objects, instead. */
function declared({ license, licenses }) {
  const all = [license ?? licenses ?? []].flat().map((each) => (typeof each === 'string' ? each : each.type));
  return all.length > 0 ? all.join(' OR ') : null;
}

const installed = (root, path) => {
  const file = join(root, path, 'package.json');
  return existsSync(file) ? declared(JSON.parse(readFileSync(file, 'utf8'))) : null;
};

/**
 * Returns every shipped package with its license or `null`: everything in a production install on any platform, plus
 * `BUNDLED`.
 */
export function productionLicences(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(
      ([path, { dev, devOptional }]) =>
        path !== '' && ((!dev && !devOptional) || BUNDLED.includes(path.replace('node_modules/', ''))),
    )
    .map(([path, found]) => {
      // For an aliased package, the lock file contains the real name.
      const name = found.name ?? path.replace(/^.*node_modules\//, '');
      const { version } = found;
      return {
        name,
        version,
        licence: declared(found) ?? installed(root, path) ?? READ.get(`${name}@${version}`) ?? null,
      };
    });
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const all = productionLicences(root);
  const counts = new Map();
  for (const { licence } of all) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  for (const [licence, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    console.log(`${String(count).padStart(4)}  ${licence ?? 'not declared'}`);
  }
  const refused = all.filter(({ licence }) => licence === null || !isAllowed(licence));
  for (const { name, version, licence } of refused) console.error(`${name}@${version}: ${licence ?? 'not declared'}`);
  console.log(`${all.length} production packages, ${refused.length} not allowed`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}
