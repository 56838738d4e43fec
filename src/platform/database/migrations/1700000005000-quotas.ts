import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks per second are added up in millionths, as whole numbers, so that no sum drifts. */
const RATE = `round(1000000.0 / interval_seconds)::bigint`;

/** Each counted table with its column of `organization_use`. */
const COUNTED = [
  ['website', 'websites'],
  ['endpoint', 'endpoints'],
  ['alert', 'alerts'],
  ['api_key', 'api_keys'],
  ['status_page', 'status_pages'],
] as const;

/**
 * Once per statement, however many rows it has, and whoever writes, instances of older versions included. A statement that
 * touches no row of the table (the end of a cascade) costs one look at an empty set.
 */
const counting = ([table, column]: (typeof COUNTED)[number]): string[] => {
  const [rate, addRate, subtractRate] =
    table === 'endpoint'
      ? [
          `, sum(${RATE}) AS rate`,
          ', check_rate = u.check_rate + n.rate',
          ', check_rate = greatest(0, u.check_rate - n.rate)',
        ]
      : ['', '', ''];
  const counts = `(SELECT org_id, count(*) AS amount${rate} FROM changed GROUP BY org_id) n WHERE u.org_id = n.org_id`;
  return [
    `CREATE FUNCTION ${table}_counted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        UPDATE organization_use u SET ${column} = u.${column} + n.amount${addRate} FROM ${counts};
      ELSE
        UPDATE organization_use u SET ${column} = greatest(0, u.${column} - n.amount)${subtractRate} FROM ${counts};
      END IF;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${table}_counted_in AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
      EXECUTE FUNCTION ${table}_counted()`,
    `CREATE TRIGGER ${table}_counted_out AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
      EXECUTE FUNCTION ${table}_counted()`,
  ];
};

const auditLogStays = (
  kept: string,
): string => `CREATE OR REPLACE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.created_at < NULLIF(current_setting('uptime.audit_cutoff', true), '')::timestamptz THEN
        RETURN OLD;
      END IF;
      IF NOT EXISTS (SELECT 1 FROM organization WHERE id = OLD.org_id${kept}) THEN
        RETURN OLD;
      END IF;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`;

const overview = (filter: string): string => `CREATE OR REPLACE VIEW endpoint_overview AS
      SELECT e.org_id, e.id, e.key, e.name, e.url, e.type, e.enabled AND w.enabled AS active,
             e.website_id, w.name AS website_name,
             s.status, s.status_since, s.last_checked_at, s.last_error, s.recent, s.certificate_expires_at,
             s.hour_start, s.hour_up, s.hour_down, s.hour_unknown, s.before_up, s.before_down, s.before_unknown,
             m.until, m.up_24h, m.down_24h, m.unknown_24h, m.up_7d, m.down_7d, m.up_30d, m.down_30d,
             m.up_90d, m.down_90d, m.p95_24h_us,
             EXISTS (SELECT FROM alert a WHERE a.endpoint_id = e.id AND a.triggered) AS alert_open
        FROM endpoint e
        JOIN website w ON w.id = e.website_id${filter}
        JOIN endpoint_state s ON s.endpoint_id = e.id
        LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key`;

/**
 * What an organization may have, and what it has. `organization.quotas` holds what the operator set for it alone.
 * `organization_use` is kept by triggers: its row is also what parallel creations wait for, so that none goes beyond a limit.
 *
 * `deleted_at` marks what is being removed in steps. Only entries of a marked organization may leave the audit log.
 */
const UP = [
  `ALTER TABLE organization ADD COLUMN quotas jsonb NOT NULL DEFAULT '{}', ADD COLUMN deleted_at timestamptz(3)`,
  `ALTER TABLE website ADD COLUMN deleted_at timestamptz(3)`,
  `CREATE INDEX website_being_deleted ON website (deleted_at) WHERE deleted_at IS NOT NULL`,
  // check_rate: millionths of a check per second, over all endpoints of the organization, paused ones too.
  `CREATE TABLE organization_use (
    org_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    websites integer NOT NULL DEFAULT 0,
    endpoints integer NOT NULL DEFAULT 0,
    alerts integer NOT NULL DEFAULT 0,
    api_keys integer NOT NULL DEFAULT 0,
    status_pages integer NOT NULL DEFAULT 0,
    check_rate bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`,

  `CREATE FUNCTION organization_use_begins() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO organization_use (org_id) VALUES (NEW.id);
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER organization_use_begins AFTER INSERT ON organization FOR EACH ROW
    EXECUTE FUNCTION organization_use_begins()`,

  ...COUNTED.flatMap(counting),

  `CREATE FUNCTION endpoint_rate_counted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE organization_use SET check_rate = greatest(0, check_rate
        + round(1000000.0 / NEW.interval_seconds)::bigint - round(1000000.0 / OLD.interval_seconds)::bigint)
     WHERE org_id = NEW.org_id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER endpoint_rate_counted AFTER UPDATE OF interval_seconds ON endpoint FOR EACH ROW
    WHEN (OLD.interval_seconds <> NEW.interval_seconds) EXECUTE FUNCTION endpoint_rate_counted()`,

  // The triggers above keep writers out until the end of the migration, so nothing is missed between them and the counting.
  `INSERT INTO organization_use (org_id, ${COUNTED.map(([, column]) => column).join(', ')}, check_rate)
   SELECT o.id, ${COUNTED.map(([table]) => `(SELECT count(*) FROM ${table} t WHERE t.org_id = o.id)`).join(', ')},
          (SELECT coalesce(sum(${RATE}), 0) FROM endpoint t WHERE t.org_id = o.id)
     FROM organization o`,

  auditLogStays(' AND deleted_at IS NULL'),
  overview(' AND w.deleted_at IS NULL'),
];

const DOWN = [
  overview(''),
  auditLogStays(''),
  'DROP TRIGGER endpoint_rate_counted ON endpoint',
  'DROP FUNCTION endpoint_rate_counted',
  ...COUNTED.flatMap(([table]) => [
    `DROP TRIGGER ${table}_counted_in ON ${table}`,
    `DROP TRIGGER ${table}_counted_out ON ${table}`,
    `DROP FUNCTION ${table}_counted`,
  ]),
  'DROP TRIGGER organization_use_begins ON organization',
  'DROP FUNCTION organization_use_begins',
  'DROP TABLE organization_use',
  'DROP INDEX website_being_deleted',
  'ALTER TABLE website DROP COLUMN deleted_at',
  'ALTER TABLE organization DROP COLUMN quotas, DROP COLUMN deleted_at',
];

export class Quotas1700000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
