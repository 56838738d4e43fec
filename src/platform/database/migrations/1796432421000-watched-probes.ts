import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A probe that an endpoint watches can't be deleted. An index that contains only such endpoints is used to find them.
 */
export class WatchedProbes1796432421000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX endpoint_watching_probe ON endpoint (url) WHERE type = 'PROBE'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX endpoint_watching_probe');
  }
}
