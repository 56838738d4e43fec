// Writes where a release's files come from: an in-toto statement with a SLSA provenance predicate, in JSON. It contains
// the commit, the lock file, the Node version, and each file's SHA-256. It isn't signed. Sign it with the release's key
// or identity (see SECURITY.md).
//
//   npm run provenance -- provenance.json uptime-monitor-0.1.0.tgz sbom.json
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

const [target, ...files] = process.argv.slice(2);
if (target === undefined || files.length === 0) {
  console.error('Usage: npm run provenance -- <file to write> <file of the release>…');
  process.exit(2);
}
if (git('status', '--porcelain') !== '') {
  console.error('The tree has changes that no commit contains. Commit them, build, and try again.');
  process.exit(1);
}
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: files.map((file) => ({ name: basename(file), digest: { sha256: sha256(file) } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://slsa.dev/npm/cli@v1',
      externalParameters: { package: name, version, command: 'npm ci --ignore-scripts && npm run tarball' },
      internalParameters: { node: process.version },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: git('rev-parse', 'HEAD') } },
        { name: 'package-lock.json', digest: { sha256: sha256('package-lock.json') } },
      ],
    },
    runDetails: { metadata: { finishedOn: new Date().toISOString() } },
  },
};
writeFileSync(target, `${JSON.stringify(statement, null, 2)}\n`);
