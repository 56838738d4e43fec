import type { MigrationInterface, QueryRunner } from 'typeorm';

const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'].map((phase) => `last_${phase}_us`);

const overview = (create: string, added: string): string => `${create} VIEW endpoint_overview AS
      SELECT e.org_id, e.id, e.key, e.name, e.url, e.type, e.enabled AND w.enabled AS active,
             e.website_id, w.name AS website_name,
             s.status, s.status_since, s.last_checked_at, s.last_error, s.recent, s.certificate_expires_at,
             s.hour_start, s.hour_up, s.hour_down, s.hour_unknown, s.before_up, s.before_down, s.before_unknown,
             m.until, m.up_24h, m.down_24h, m.unknown_24h, m.up_7d, m.down_7d, m.up_30d, m.down_30d,
             m.up_90d, m.down_90d, m.p95_24h_us,
             EXISTS (SELECT FROM alert a WHERE a.endpoint_id = e.id AND a.triggered) AS alert_open,
             m.days_7d, m.days_30d, m.days_90d, s.degraded_since, s.recent_degraded, e.tags, w.tags AS website_tags,
             k.by_name AS acknowledged_by, k.at AS acknowledged_at, k.note AS acknowledged_note,
             k.until AS acknowledged_until${added}
        FROM endpoint e
        JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
        JOIN endpoint_state s ON s.endpoint_id = e.id
        LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key
        LEFT JOIN acknowledgement k ON k.endpoint_id = e.id AND (k.until IS NULL OR k.until > now())`;

/**
 * The phases of the newest check, coded as in check_result: microseconds, -1 for one that it did not reach; NULL before the
 * first check of this version. New columns of the view come last: what an older version reads stays in its place.
 */
export class NewestPhases1700000006140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE endpoint_state ${PHASES.map((name) => `ADD COLUMN ${name} integer`).join(', ')}`);
    await runner.query(
      overview('CREATE OR REPLACE', `, e.external_key, ${PHASES.map((name) => `s.${name}`).join(', ')}`),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW endpoint_overview');
    await runner.query(overview('CREATE', ''));
    await runner.query(`ALTER TABLE endpoint_state ${PHASES.map((name) => `DROP COLUMN ${name}`).join(', ')}`);
  }
}
