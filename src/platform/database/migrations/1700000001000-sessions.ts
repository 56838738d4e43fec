import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Browser sessions and one-time sign-in links. Both hold only hashes and die with the API key they stand for. */
export class Sessions1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE session (
      hash bytea PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
      created_at timestamptz(3) NOT NULL,
      last_seen_at timestamptz(3) NOT NULL
    )`);
    await runner.query(`CREATE INDEX session_of_key ON session (key_id)`);
    await runner.query(`CREATE TABLE sign_in_link (
      hash bytea PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
      expires_at timestamptz(3) NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sign_in_link');
    await runner.query('DROP TABLE session');
  }
}
