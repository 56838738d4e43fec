import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How an endpoint's checks judge certificates; NULL: as everybody would, which is so for most. */
export class EndpointTls1700000006130 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE endpoint ADD COLUMN tls jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE endpoint DROP COLUMN tls');
  }
}
