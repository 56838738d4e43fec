import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Responses to requests with an `Idempotency-Key`, kept to be sent again. `body` is an envelope of `SecretBox`, `bytes` how
 * long the text in it is. Versions without the table ignore the header.
 */
const UP = [
  `CREATE TABLE idempotency_key (
    id uuid PRIMARY KEY,
    org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    key varchar(255) COLLATE "C" NOT NULL,
    route text NOT NULL,
    body_digest bytea NOT NULL,
    status smallint NOT NULL,
    headers jsonb NOT NULL,
    body jsonb NOT NULL,
    bytes integer NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT idempotency_key_once UNIQUE (org_id, key)
  )`,
  `CREATE INDEX idempotency_key_expires_at ON idempotency_key (expires_at)`,
];

export class IdempotencyKeys1700000005950 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_key');
  }
}
