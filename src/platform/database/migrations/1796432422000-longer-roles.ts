import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['api_key', 'membership', 'invitation'] as const;

/** Makes room for the role `responder`. Cost: only the catalog changes. */
export class LongerRoles1796432422000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} ALTER COLUMN role TYPE varchar(16)`);
  }

  /** A responder becomes a reader, because older versions don't know the role. */
  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`UPDATE ${table} SET role = 'read' WHERE role = 'responder'`);
      await runner.query(`ALTER TABLE ${table} ALTER COLUMN role TYPE varchar(8)`);
    }
  }
}
