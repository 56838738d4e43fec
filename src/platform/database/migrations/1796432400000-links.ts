import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores who created a link and for which organization, so that it can be checked when it is used. Several accounts may
 * claim the same email. Only an email that a provider has verified belongs to a single account. Fast on a full table:
 * adds columns without a default or with a constant one, and small tables.
 */
export class Links1796432400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- org_id: the organization that made the link, which opens nothing outside of it. Links that set a password have one. Either
      -- created_by_id or created_by_key_id is set, and created_by is the name of the key.
      ALTER TABLE sign_in_link
        ADD COLUMN org_id uuid REFERENCES organization (id) ON DELETE CASCADE,
        ADD COLUMN created_by_id uuid REFERENCES person (id) ON DELETE CASCADE,
        ADD COLUMN created_by_key_id uuid REFERENCES api_key (id) ON DELETE CASCADE,
        ADD COLUMN created_by varchar(255),
        ADD COLUMN created_at timestamptz(3);
      -- Nothing says which organization made them. They would have ended within a day.
      DELETE FROM sign_in_link WHERE purpose = 'password';

      -- As with links, or by_command_line. An invitation ends with its maker.
      ALTER TABLE invitation
        ADD COLUMN created_by_key_id uuid REFERENCES api_key (id) ON DELETE CASCADE,
        ADD COLUMN by_command_line boolean NOT NULL DEFAULT false,
        DROP CONSTRAINT invitation_created_by_id_fkey,
        ADD CONSTRAINT invitation_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES person (id) ON DELETE CASCADE;
      UPDATE invitation i SET created_by_key_id = k.id
        FROM audit_log a JOIN api_key k ON k.id = a.key_id
       WHERE a.org_id = i.org_id AND a.resource = 'invitation' AND a.action = 'create' AND a.resource_id = i.id
         AND i.created_by_id IS NULL AND k.org_id = i.org_id;
      UPDATE invitation i SET by_command_line = true FROM audit_log a
       WHERE a.org_id = i.org_id AND a.resource = 'invitation' AND a.action = 'create' AND a.resource_id = i.id AND a.via = 'command_line';
      -- Those of a key that was revoked, or of a person who was erased.
      DELETE FROM invitation WHERE created_by_id IS NULL AND created_by_key_id IS NULL AND NOT by_command_line;

      -- email_verified: by the provider of single sign-on. made_by_org_id: the organization whose invitation made the account, which makes
      -- one account for each email.
      ALTER TABLE person
        DROP CONSTRAINT person_email,
        ADD COLUMN email_verified boolean NOT NULL DEFAULT false,
        ADD COLUMN made_by_org_id uuid REFERENCES organization (id) ON DELETE SET NULL;
      CREATE INDEX person_by_email ON person (email) WHERE email IS NOT NULL;
      CREATE UNIQUE INDEX person_email_verified ON person (email) WHERE email_verified;

      -- Mail to people about their own account, through SMTP_URL. subject and text are made when it happens. sent_at: kept for an hour,
      -- because the number of an hour is bounded.
      CREATE TABLE account_mail (
        id uuid PRIMARY KEY,
        person_id uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
        email varchar(254) NOT NULL,
        subject varchar(200) NOT NULL,
        text text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        attempts smallint NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3) NOT NULL,
        sent_at timestamptz(3)
      );
      CREATE INDEX account_mail_due ON account_mail (next_attempt_at) WHERE sent_at IS NULL;
      CREATE INDEX account_mail_of_person ON account_mail (person_id, created_at);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE account_mail;
      DROP INDEX person_email_verified, person_by_email;
      -- Of several accounts the oldest keeps the email.
      UPDATE person p SET email = NULL WHERE EXISTS (
        SELECT FROM person o WHERE o.email = p.email AND (o.created_at, o.id) < (p.created_at, p.id));
      ALTER TABLE person DROP COLUMN made_by_org_id, DROP COLUMN email_verified, ADD CONSTRAINT person_email UNIQUE (email);
      ALTER TABLE invitation
        DROP CONSTRAINT invitation_created_by_id_fkey,
        ADD CONSTRAINT invitation_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES person (id) ON DELETE SET NULL,
        DROP COLUMN by_command_line,
        DROP COLUMN created_by_key_id;
      ALTER TABLE sign_in_link DROP COLUMN created_at, DROP COLUMN created_by, DROP COLUMN created_by_key_id,
        DROP COLUMN created_by_id, DROP COLUMN org_id`);
  }
}
