import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A probe that an endpoint watches cannot be deleted: who watches it is found by an index, of which only such endpoints are part. */
export class WatchedProbes1796432421000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX endpoint_watching_probe ON endpoint (url) WHERE type = 'PROBE'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX endpoint_watching_probe');
  }
}
