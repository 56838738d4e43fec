import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted endpoints that can be restored for seven days, with their history and alert rules. */
export class DeletedEndpoints1796518803000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- endpoint: its settings and dates, as stored. parts: what other modules keep for it, by name. endpoint_key: its history, which is
      -- purged later.
      CREATE TABLE deleted_endpoint (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL,
        website_id uuid NOT NULL,
        endpoint_key bigint NOT NULL,
        name varchar(255) NOT NULL,
        url varchar(2048) NOT NULL,
        type varchar(32) NOT NULL,
        by_name varchar(255),
        person_id uuid,
        deleted_at timestamptz(3) NOT NULL,
        endpoint jsonb NOT NULL,
        parts jsonb NOT NULL,
        CONSTRAINT deleted_endpoint_website FOREIGN KEY (org_id, website_id) REFERENCES website (org_id, id) ON DELETE CASCADE
      );
      CREATE INDEX deleted_endpoint_list ON deleted_endpoint (org_id, deleted_at, id);
      CREATE INDEX deleted_endpoint_of_website ON deleted_endpoint (org_id, website_id);
      CREATE INDEX deleted_endpoint_old ON deleted_endpoint (deleted_at);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deleted_endpoint');
  }
}
