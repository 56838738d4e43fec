import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The settings that only one type of check has, such as a password. Secrets in them are encrypted. */
export class CheckSettings1796432450000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE endpoint ADD COLUMN settings jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE endpoint DROP COLUMN settings');
  }
}
