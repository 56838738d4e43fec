import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Status pages that search engines may not index, and where their readers report a problem. */
export class PublicFaces1796522400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE status_page ADD COLUMN indexed boolean NOT NULL DEFAULT true, ADD COLUMN support_url varchar(2048)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE status_page DROP COLUMN indexed, DROP COLUMN support_url');
  }
}
