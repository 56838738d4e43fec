import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which migrations of extensions have run. Apart from the service's own: theirs come and go with what is installed. */
export class Extensions1700000006150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE extension_migration (
        extension varchar(40) NOT NULL,
        name varchar(200) NOT NULL,
        ran_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (extension, name)
      )`);
    // Names that extensions choose may be longer than ours; no row is written again for it.
    await runner.query('ALTER TABLE audit_log ALTER COLUMN resource TYPE varchar(40)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_log ALTER COLUMN resource TYPE varchar(16) USING left(resource, 16)');
    await runner.query('DROP TABLE extension_migration');
  }
}
