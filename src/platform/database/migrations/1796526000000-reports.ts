import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links through which anyone can read a report. They go with their organization. */
export class Reports1796526000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE report_link (
      id uuid PRIMARY KEY,
      org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
      hash bytea NOT NULL,
      title varchar(255) NOT NULL,
      month varchar(7) NOT NULL,
      timezone varchar(64) NOT NULL,
      target numeric(7, 4) NOT NULL,
      website_id uuid REFERENCES website (id) ON DELETE CASCADE,
      tag varchar(50),
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      CONSTRAINT report_link_hash UNIQUE (hash)
    )`);
    await runner.query('CREATE INDEX report_link_by_organization ON report_link (org_id, id)');
    await runner.query('CREATE INDEX report_link_by_website ON report_link (website_id) WHERE website_id IS NOT NULL');
    await runner.query('CREATE INDEX report_link_expiry ON report_link (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE report_link');
  }
}
