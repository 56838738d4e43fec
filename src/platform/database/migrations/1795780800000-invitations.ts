import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fast on a full table: adds columns without a default or with a constant one, drops constraints, and adds an index to
 * the table of unused links. Existing keys were not created by an invitation, and existing links are from the startup
 * banner.
 */
export class Invitations1795780800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // An invited key has no secret until its link is used, so that only the invited person ever sees the secret.
    await runner.query(`
      ALTER TABLE api_key
        ALTER COLUMN lookup DROP NOT NULL,
        ALTER COLUMN hash DROP NOT NULL,
        ADD COLUMN invitation_expires_at timestamptz(3),
        ADD COLUMN invitation_accepted_at timestamptz(3);
      ALTER TABLE sign_in_link ADD COLUMN is_invitation boolean NOT NULL DEFAULT false;
      CREATE INDEX sign_in_link_of_key ON sign_in_link (key_id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM api_key WHERE hash IS NULL;
      DELETE FROM sign_in_link WHERE is_invitation;
      DROP INDEX sign_in_link_of_key;
      ALTER TABLE sign_in_link DROP COLUMN is_invitation;
      ALTER TABLE api_key
        DROP COLUMN invitation_accepted_at,
        DROP COLUMN invitation_expires_at,
        ALTER COLUMN hash SET NOT NULL,
        ALTER COLUMN lookup SET NOT NULL;`);
  }
}
