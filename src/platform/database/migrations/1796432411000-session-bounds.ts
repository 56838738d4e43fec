import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Limits the number of sessions per key, and adds an index for finding ended sessions. Fast on a full table: adds a
 * column without a default, and two indexes on the table of sessions.
 */
export class SessionBounds1796432411000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The hash of the proof by which this session may connect an identity to its person.
      ALTER TABLE session ADD COLUMN connect_hash bytea;
      DROP INDEX session_of_key;
      CREATE INDEX session_of_key ON session (key_id, last_seen_at) WHERE key_id IS NOT NULL;
      CREATE INDEX session_last_seen ON session (last_seen_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX session_last_seen;
      DROP INDEX session_of_key;
      CREATE INDEX session_of_key ON session (key_id);
      ALTER TABLE session DROP COLUMN connect_hash`);
  }
}
