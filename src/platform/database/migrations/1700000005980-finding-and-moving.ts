import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An endpoint may move to another website: its state and the counters of both follow, those in the order of their ids. The
 * name puts the trigger behind that of `organization_use`, whose row is always locked first. Versions before this one move
 * nothing. And the events of one alert have an index of their own.
 */
const UP = [
  `CREATE FUNCTION endpoint_of_website_moved() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM website_use WHERE website_id IN (OLD.website_id, NEW.website_id) ORDER BY website_id FOR UPDATE;
    UPDATE website_use SET endpoints = greatest(0, endpoints + CASE website_id WHEN NEW.website_id THEN 1 ELSE -1 END)
     WHERE website_id IN (OLD.website_id, NEW.website_id);
    UPDATE endpoint_state SET website_id = NEW.website_id WHERE endpoint_id = NEW.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER endpoint_of_website_moved AFTER UPDATE OF website_id ON endpoint FOR EACH ROW
    WHEN (OLD.website_id <> NEW.website_id) EXECUTE FUNCTION endpoint_of_website_moved()`,
  'CREATE INDEX alert_event_of_alert ON alert_event (alert_id, id)',
];

const DOWN = [
  'DROP INDEX alert_event_of_alert',
  'DROP TRIGGER endpoint_of_website_moved ON endpoint',
  'DROP FUNCTION endpoint_of_website_moved',
];

export class FindingAndMoving1700000005980 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
