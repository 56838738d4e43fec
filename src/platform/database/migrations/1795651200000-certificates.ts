import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fast on a full table: adds a column without a default and a small table. The warning stays off for existing
 * endpoints.
 */
export class Certificates1795651200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE endpoint ADD COLUMN certificate_warn_days smallint;
      -- What an alert told last of a certificate that ends, known by when it ends: at this step, in days before the end.
      CREATE TABLE certificate_told (
        alert_id uuid PRIMARY KEY REFERENCES alert (id) ON DELETE CASCADE,
        expires_at timestamptz(3) NOT NULL,
        step smallint NOT NULL
      );`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE certificate_told; ALTER TABLE endpoint DROP COLUMN certificate_warn_days');
  }
}
