import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contacts: a channel that is configured once, for the alerts that name it. Such an alert has the type and the destination of
 * its contact, which evaluating needs, and no config of its own.
 *
 * `alert.after_seconds`, `remind_every_seconds`: settings. `remind_at`: when the next reminder falls due, NULL for none;
 * `reminders`: how many the open incident had.
 *
 * `notification.contact_id`: the contact it goes through; a snapshot of a config is then that contact's envelope.
 * `reminder_of`, `ordinal`: of a reminder its trigger's event and its number. Its `event_id` is NULL, for the unique
 * constraint on event and kind that older versions insert by.
 *
 * `notification_destination.failing_since`: the first failed attempt since the last one that was delivered.
 */
const UP = [
  `CREATE TABLE contact (
    id uuid PRIMARY KEY,
    org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
    name varchar(255) NOT NULL,
    type varchar(32) NOT NULL,
    config jsonb NOT NULL,
    destination varchar(64),
    is_default boolean NOT NULL DEFAULT false,
    defaults jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT contact_org_id UNIQUE (org_id, id)
  )`,
  'CREATE INDEX contact_by_default ON contact (org_id, id) WHERE is_default',
  `ALTER TABLE alert
    ADD COLUMN contact_id uuid,
    ADD COLUMN after_seconds integer NOT NULL DEFAULT 0,
    ADD COLUMN remind_every_seconds integer,
    ADD COLUMN remind_at timestamptz(3),
    ADD COLUMN reminders integer NOT NULL DEFAULT 0,
    ALTER COLUMN config DROP NOT NULL,
    ADD CONSTRAINT alert_config CHECK ((config IS NULL) = (contact_id IS NOT NULL)),
    ADD CONSTRAINT alert_contact FOREIGN KEY (org_id, contact_id) REFERENCES contact (org_id, id)`,
  'CREATE INDEX alert_of_contact ON alert (contact_id, id) WHERE contact_id IS NOT NULL',
  'CREATE INDEX alert_to_remind ON alert (remind_at) WHERE remind_at IS NOT NULL',
  'ALTER TABLE notification ADD COLUMN contact_id uuid, ADD COLUMN reminder_of uuid, ADD COLUMN ordinal integer',
  'CREATE UNIQUE INDEX notification_reminder ON notification (reminder_of, ordinal) WHERE reminder_of IS NOT NULL',
  `CREATE INDEX notification_of_contact ON notification (contact_id, seq) WHERE contact_id IS NOT NULL AND kind <> 'test'`,
  'ALTER TABLE notification_destination ADD COLUMN failing_since timestamptz(3)',
];

const DOWN = [
  'ALTER TABLE notification_destination DROP COLUMN failing_since',
  `DELETE FROM notification WHERE kind = 'reminder'`,
  'ALTER TABLE notification DROP COLUMN contact_id, DROP COLUMN reminder_of, DROP COLUMN ordinal',
  // Their config is the contact's, which an older version cannot open.
  'DELETE FROM alert WHERE contact_id IS NOT NULL',
  `ALTER TABLE alert
    DROP COLUMN contact_id, DROP COLUMN after_seconds, DROP COLUMN remind_every_seconds, DROP COLUMN remind_at,
    DROP COLUMN reminders, ALTER COLUMN config SET NOT NULL`,
  'DROP TABLE contact',
];

export class Contacts1700000006100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
