// Writes the bill of materials for a production install to standard output, or to the given file. The format is
// CycloneDX JSON, which npm creates from package-lock.json without network access. Registry URLs are removed.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productionLicences } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const npm = spawnSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 64 * 1024 * 1024,
});
if (npm.status !== 0) process.exit(npm.status ?? 1);
const whole = JSON.parse(npm.stdout);

// npm's --omit=dev also drops packages that production shares with development, so this script does the filtering.
const shipped = new Set(productionLicences(root).map(({ name, version }) => `${name}@${version}`));
const own = whole.metadata.component['bom-ref'];
const sbom = {
  ...whole,
  metadata: { ...whole.metadata, component: { ...whole.metadata.component, name: nameOf(root) } },
  components: whole.components
    .filter(({ 'bom-ref': ref }) => shipped.has(ref))
    .map((component) => ({
      ...component,
      externalReferences: component.externalReferences?.filter(({ type }) => type !== 'distribution'),
    })),
  dependencies: whole.dependencies
    .filter(({ ref }) => ref === own || shipped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn?.filter((each) => shipped.has(each)) })),
};
const missing = [...shipped].filter((each) => !sbom.components.some(({ 'bom-ref': ref }) => ref === each));
if (missing.length > 0) throw new Error(`npm sbom left out ${missing.join(', ')}`);

const text = `${JSON.stringify(sbom, null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else {
  writeFileSync(file, text);
  console.log(`${file}: ${sbom.components.length} components`);
}

function nameOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name;
}
