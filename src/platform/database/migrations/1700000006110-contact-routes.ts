import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `alert_destination_unknown` tells an older version's change of an alert by the destination that it leaves as it was, too: so
 * that all alerts of a contact get type and destination in one statement.
 *
 * `notification_of_contact_stays`: a version that knows no contacts finds no config for the alerts of one and drops their
 * deliveries as those of deleted alerts. During an upgrade they wait a few seconds instead, for an instance that can send them.
 */
const UP = [
  'DROP TRIGGER alert_destination_unknown ON alert',
  `CREATE TRIGGER alert_destination_unknown BEFORE UPDATE OF type, config ON alert FOR EACH ROW
    WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at AND (OLD.type <> NEW.type OR OLD.config <> NEW.config)
      AND OLD.destination IS NOT DISTINCT FROM NEW.destination)
    EXECUTE FUNCTION alert_destination_unknown()`,
  `CREATE FUNCTION notification_of_contact_stays() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM alert a WHERE a.id = NEW.alert_id AND a.contact_id IS NOT NULL AND a.type = NEW.channel_type) THEN
      NEW.state := 'pending';
      NEW.detail := OLD.detail;
      NEW.attempts := GREATEST(OLD.attempts - 1, 0);
      NEW.finished_at := NULL;
      NEW.next_attempt_at := clock_timestamp() + interval '5 seconds';
    END IF;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER notification_of_contact_stays BEFORE UPDATE OF state ON notification FOR EACH ROW
    WHEN (OLD.state = 'pending' AND OLD.lease_token IS NOT NULL AND OLD.config IS NULL
      AND OLD.detail IS DISTINCT FROM 'deleted' AND NEW.state = 'superseded' AND NEW.detail = 'deleted')
    EXECUTE FUNCTION notification_of_contact_stays()`,
];

const DOWN = [
  'DROP TRIGGER notification_of_contact_stays ON notification',
  'DROP FUNCTION notification_of_contact_stays',
  'DROP TRIGGER alert_destination_unknown ON alert',
  `CREATE TRIGGER alert_destination_unknown BEFORE UPDATE OF type, config ON alert FOR EACH ROW
    WHEN (OLD.updated_at IS DISTINCT FROM NEW.updated_at AND (OLD.type <> NEW.type OR OLD.config <> NEW.config))
    EXECUTE FUNCTION alert_destination_unknown()`,
];

export class ContactRoutes1700000006110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
