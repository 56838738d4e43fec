import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who changed what. Rows come and stay: the database itself refuses to change one, and lets one go only together with
 * its organization, or by retention, which names the time before which rows are old (`uptime.audit_cutoff`) for the
 * length of its transaction. This stops mistakes and faults of the application, not an administrator of the database.
 */
const UP = [
  `CREATE TABLE audit_log (
    id uuid NOT NULL,
    org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    action varchar(16) NOT NULL,
    resource varchar(16) NOT NULL,
    resource_id uuid NOT NULL,
    changed text[] NOT NULL,
    before jsonb,
    after jsonb,
    via varchar(16) NOT NULL,
    key_id uuid,
    key_name varchar(255),
    address varchar(64),
    request_id varchar(64),
    PRIMARY KEY (org_id, id)
  )`,
  `CREATE INDEX audit_log_of_resource ON audit_log (org_id, resource_id, id)`,
  `CREATE INDEX audit_log_created_at ON audit_log (created_at)`,

  `CREATE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.created_at < NULLIF(current_setting('uptime.audit_cutoff', true), '')::timestamptz THEN
        RETURN OLD;
      END IF;
      IF NOT EXISTS (SELECT 1 FROM organization WHERE id = OLD.org_id) THEN
        RETURN OLD;
      END IF;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`,
  `CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW
    EXECUTE FUNCTION audit_log_stays()`,
  `CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT
    EXECUTE FUNCTION audit_log_stays()`,
];

export class AuditLog1700000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_log');
    await runner.query('DROP FUNCTION audit_log_stays');
  }
}
