import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a second factor for people who sign in with a password. Fast on a full table: adds new tables, and columns with
 * a constant default.
 */
export class SecondFactor1796432413000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- id: the person. secret: an envelope of SecretBox. confirmed_at: none for a draft, which is not in force. last_step: the newest
      -- time step whose code was used.
      CREATE TABLE second_factor (
        id uuid PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
        secret jsonb NOT NULL,
        last_step bigint NOT NULL,
        created_at timestamptz(3) NOT NULL,
        confirmed_at timestamptz(3)
      );
      CREATE TABLE recovery_code (
        person_id uuid NOT NULL REFERENCES second_factor (id) ON DELETE CASCADE,
        hash bytea NOT NULL,
        PRIMARY KEY (person_id, hash)
      );
      -- The sign-in, or the set-up within this session, has proven a second factor.
      ALTER TABLE session ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
      ALTER TABLE organization ADD COLUMN requires_second_factor boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organization DROP COLUMN requires_second_factor;
      ALTER TABLE session DROP COLUMN second_factor;
      DROP TABLE recovery_code, second_factor`);
  }
}
