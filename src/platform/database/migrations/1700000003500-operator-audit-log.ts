import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the operator did to the installation: it belongs to no organization and outlives each. Rows stay as those of
 * `audit_log` do: only retention lets them go, by the same `uptime.audit_cutoff`.
 */
const UP = [
  `CREATE TABLE operator_audit_log (
    id uuid PRIMARY KEY,
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
    request_id varchar(64)
  )`,
  `CREATE INDEX operator_audit_log_created_at ON operator_audit_log (created_at)`,

  `CREATE FUNCTION operator_audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.created_at < NULLIF(current_setting('uptime.audit_cutoff', true), '')::timestamptz THEN
        RETURN OLD;
      END IF;
    END IF;
    RAISE EXCEPTION 'operator_audit_log is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`,
  `CREATE TRIGGER operator_audit_log_stays BEFORE UPDATE OR DELETE ON operator_audit_log FOR EACH ROW
    EXECUTE FUNCTION operator_audit_log_stays()`,
  `CREATE TRIGGER operator_audit_log_not_emptied BEFORE TRUNCATE ON operator_audit_log FOR EACH STATEMENT
    EXECUTE FUNCTION operator_audit_log_stays()`,
];

export class OperatorAuditLog1700000003500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_audit_log');
    await runner.query('DROP FUNCTION operator_audit_log_stays');
  }
}
