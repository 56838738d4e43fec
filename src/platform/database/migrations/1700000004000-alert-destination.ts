import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where the deliveries of an alert go, written with its type and config, so that recording a transition decrypts
 * nothing. NULL: not known; the service fills it in from the config.
 *
 * The trigger is for instances of older versions, which write type and config and do not know the column: what they
 * save counts as not known. It tells them by `updated_at`, which only clients' changes move: a rotation of secrets keeps
 * the destination. Newer instances write the destination in a second statement.
 */
const UP = [
  `ALTER TABLE alert ADD COLUMN destination varchar(64)`,
  `CREATE INDEX alert_without_destination ON alert (id) WHERE destination IS NULL`,
  `CREATE FUNCTION alert_destination_unknown() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.destination := NULL;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER alert_destination_unknown BEFORE UPDATE OF type, config ON alert FOR EACH ROW
    WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at AND (OLD.type <> NEW.type OR OLD.config <> NEW.config))
    EXECUTE FUNCTION alert_destination_unknown()`,
];

export class AlertDestination1700000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER alert_destination_unknown ON alert');
    await runner.query('DROP FUNCTION alert_destination_unknown');
    await runner.query('DROP INDEX alert_without_destination');
    await runner.query('ALTER TABLE alert DROP COLUMN destination');
  }
}
