import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Members and open invitations count toward `people` in `organization_use`, in the same way as other quotas
 * (`initial/triggers.ts`).
 */
const counting = (table: 'membership' | 'invitation'): string => {
  const people = 'FROM (SELECT org_id, count(*) AS amount FROM changed GROUP BY org_id) n WHERE u.org_id = n.org_id';
  const on = (name: string, event: string, rows: string) => `
    CREATE TRIGGER ${table}_counted_${name} AFTER ${event} ON ${table} REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT
      EXECUTE FUNCTION ${table}_counted();`;
  return `
    CREATE FUNCTION ${table}_counted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          UPDATE organization_use u SET people = u.people + n.amount ${people};
        ELSE
          UPDATE organization_use u SET people = greatest(0, u.people - n.amount) ${people};
        END IF;
        RETURN NULL;
      END $$;${on('in', 'INSERT', 'NEW')}${on('out', 'DELETE', 'OLD')}`;
};

/**
 * Adds people: accounts in the installation, memberships in organizations, single sign-on, and invitations. Fast on a
 * full table: adds new tables and columns without a default or with a constant one, and drops constraints. Existing
 * sessions and links belong to keys.
 */
export class People1796169600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- networks: HMACs of the last networks that signed in with the password. homeless_since: in no organization.
      -- operator_by_group: a group of the single sign-on made them operator, and may end it.
      CREATE TABLE person (
        id uuid PRIMARY KEY,
        name varchar(255) NOT NULL,
        email varchar(254),
        password varchar(200),
        is_operator boolean NOT NULL DEFAULT false,
        operator_by_group boolean NOT NULL DEFAULT false,
        networks bytea[] NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL,
        last_sign_in_at timestamptz(3),
        homeless_since timestamptz(3),
        CONSTRAINT person_email UNIQUE (email)
      );
      CREATE INDEX person_homeless ON person (homeless_since) WHERE homeless_since IS NOT NULL;

      -- source: invited, or groups of the single sign-on.
      CREATE TABLE membership (
        person_id uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
        org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
        role varchar(8) NOT NULL,
        source varchar(8) NOT NULL,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (person_id, org_id)
      );
      CREATE INDEX membership_of_organization ON membership (org_id, created_at, person_id);

      -- Who somebody is for a single sign-on, or for the proxy in front (issuer 'proxy'). Never by the e-mail.
      CREATE TABLE identity (
        issuer varchar(255) NOT NULL,
        subject varchar(255) NOT NULL,
        person_id uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (issuer, subject)
      );
      CREATE INDEX identity_of_person ON identity (person_id);

      -- A token for one organization and role; of an address one at most. The e-mail is that of the account made from it. Operators
      -- are invited on the command line alone.
      CREATE TABLE invitation (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
        email varchar(254) NOT NULL,
        role varchar(8) NOT NULL,
        is_operator boolean NOT NULL DEFAULT false,
        hash bytea NOT NULL,
        created_by_id uuid REFERENCES person (id) ON DELETE SET NULL,
        created_by varchar(255),
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        CONSTRAINT invitation_hash UNIQUE (hash),
        CONSTRAINT invitation_once UNIQUE (org_id, email)
      );

      -- Of a key or of a person in one organization (none: of no organization), exactly one of the two. id is public, the hash is not.
      ALTER TABLE session
        ALTER COLUMN key_id DROP NOT NULL,
        ADD COLUMN id uuid,
        ADD COLUMN person_id uuid REFERENCES person (id) ON DELETE CASCADE,
        ADD COLUMN org_id uuid REFERENCES organization (id) ON DELETE SET NULL,
        ADD COLUMN via varchar(16),
        ADD COLUMN address varchar(64),
        ADD COLUMN user_agent varchar(200),
        ADD CONSTRAINT session_of_one CHECK (num_nonnulls(key_id, person_id) = 1);
      CREATE INDEX session_of_person ON session (person_id, created_at) WHERE person_id IS NOT NULL;
      -- Of a key, or of a person: a new password (purpose 'password'), or a sign-in that the operator made.
      ALTER TABLE sign_in_link
        ALTER COLUMN key_id DROP NOT NULL,
        ADD COLUMN person_id uuid REFERENCES person (id) ON DELETE CASCADE,
        ADD COLUMN purpose varchar(8) NOT NULL DEFAULT 'sign_in',
        ADD CONSTRAINT sign_in_link_of_one CHECK (num_nonnulls(key_id, person_id) = 1);
      CREATE INDEX sign_in_link_of_person ON sign_in_link (person_id) WHERE person_id IS NOT NULL;

      -- The id only: the name is joined when it is read, so whoever is erased is erased here, too.
      ALTER TABLE audit_log ADD COLUMN person_id uuid;
      CREATE INDEX audit_log_of_person ON audit_log (org_id, person_id, id) WHERE person_id IS NOT NULL;
      ALTER TABLE operator_audit_log ADD COLUMN person_id uuid;
      ALTER TABLE api_key ADD COLUMN created_by varchar(255), ADD COLUMN created_by_id uuid;
      CREATE INDEX api_key_of_person ON api_key (created_by_id) WHERE created_by_id IS NOT NULL;
      ALTER TABLE acknowledgement ADD COLUMN person_id uuid;
      ALTER TABLE maintenance_window ADD COLUMN created_by_id uuid;
      ALTER TABLE incident ADD COLUMN created_by_id uuid, ADD COLUMN ack_person_id uuid;
      ALTER TABLE incident_update ADD COLUMN person_id uuid;
      ALTER TABLE organization_use ADD COLUMN people integer NOT NULL DEFAULT 0;
      ${counting('membership')}
      ${counting('invitation')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE incident_update DROP COLUMN person_id;
      ALTER TABLE incident DROP COLUMN ack_person_id, DROP COLUMN created_by_id;
      ALTER TABLE maintenance_window DROP COLUMN created_by_id;
      ALTER TABLE acknowledgement DROP COLUMN person_id;
      ALTER TABLE api_key DROP COLUMN created_by_id, DROP COLUMN created_by;
      ALTER TABLE operator_audit_log DROP COLUMN person_id;
      ALTER TABLE audit_log DROP COLUMN person_id;
      DELETE FROM sign_in_link WHERE key_id IS NULL;
      ALTER TABLE sign_in_link DROP CONSTRAINT sign_in_link_of_one, DROP COLUMN purpose, DROP COLUMN person_id, ALTER COLUMN key_id SET NOT NULL;
      DELETE FROM session WHERE key_id IS NULL;
      ALTER TABLE session DROP CONSTRAINT session_of_one, DROP COLUMN user_agent, DROP COLUMN address, DROP COLUMN via,
        DROP COLUMN org_id, DROP COLUMN person_id, DROP COLUMN id, ALTER COLUMN key_id SET NOT NULL;
      DROP TABLE invitation, identity, membership, person;
      DROP FUNCTION membership_counted, invitation_counted;
      ALTER TABLE organization_use DROP COLUMN people`);
  }
}
