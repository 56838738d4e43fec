import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The next version's change to the database. */
export const NEXT_MIGRATION = 'NextVersion1900000000000';
/**
 * The team's change at the same time. Its name makes it older, and it fails if the service's own migration has not
 * run.
 */
export const TEAM_MIGRATION = 'Refunds1800000000001';

const MIGRATIONS = 'dist/platform/database/migrations';

const OURS = `"use strict";
exports.${NEXT_MIGRATION} = class ${NEXT_MIGRATION} {
  async up(runner) {
    await runner.query('CREATE TABLE next_version (id int PRIMARY KEY)');
  }
  async down(runner) {
    await runner.query('DROP TABLE next_version');
  }
};
`;

const THEIRS = `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${TEAM_MIGRATION} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT id FROM next_version');
    await runner.query('ALTER TABLE invoice ADD COLUMN refunded boolean NOT NULL DEFAULT false');
  }
  async down(): Promise<void> {}
}
`;

/**
 * Creates the next version of a packed package in a folder, with a higher version and one more migration. Returns its
 * version.
 */
export function makeNextVersion(tarball: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', folder]);
  const version = edit(join(folder, 'package.json'), (text) => {
    const { scripts: _built, ...rest } = JSON.parse(text) as { version: string; scripts: object };
    const [major = '0'] = rest.version.split('.');
    return JSON.stringify({ ...rest, version: `${Number(major) + 1}.0.0` });
  });
  writeFileSync(join(folder, MIGRATIONS, 'next-version.js'), OURS);
  edit(join(folder, MIGRATIONS, 'migrations.js'), (text) =>
    text.replace(/^\];$/m, `  require('./next-version').${NEXT_MIGRATION},\n];`),
  );
  return (JSON.parse(version) as { version: string }).version;
}

/** Adds the team's own change of its table to the same upgrade. */
export function addTeamMigration(team: string): void {
  writeFileSync(join(team, 'src/billing/refunds.ts'), THEIRS);
  edit(join(team, 'src/index.ts'), (text) =>
    text
      .replace('import ', `import { ${TEAM_MIGRATION} } from './billing/refunds';\nimport `)
      .replace('migrations: [', `migrations: [${TEAM_MIGRATION}, `),
  );
}

/** Throws if nothing changes. */
function edit(path: string, change: (text: string) => string): string {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`nothing changed in ${path}`);
  writeFileSync(path, after);
  return after;
}
