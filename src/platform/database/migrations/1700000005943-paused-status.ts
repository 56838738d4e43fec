import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Failing {
  id: string;
  key: string;
}

/**
 * Before, an endpoint kept its status over a pause, and failures after it opened no outage (docs/decisions/0022-paused-time.md).
 * What is paused now is unknown, and what fails without an open outage opens one with its next failure. Outages are read by
 * a statement of their own, because history may be on other servers; rows are locked in the recorder's order.
 */
export class PausedStatus1700000005943 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE endpoint_state SET status = 2, status_since = now(), failing_since = NULL
        WHERE endpoint_id IN (SELECT endpoint_id FROM endpoint_schedule WHERE NOT active)
          AND last_checked_at IS NOT NULL AND (status <> 2 OR failing_since IS NOT NULL)`,
    );
    const failing: Failing[] = await runner.query(
      `SELECT endpoint_id AS id, endpoint_key::text AS key FROM endpoint_state
        WHERE failing_since IS NOT NULL ORDER BY endpoint_id FOR UPDATE`,
    );
    if (failing.length === 0) return;
    const open: { key: string }[] = await runner.query(
      'SELECT endpoint_key::text AS key FROM outage WHERE ended_at IS NULL AND endpoint_key = ANY ($1::bigint[])',
      [failing.map(({ key }) => key)],
    );
    const known = new Set(open.map(({ key }) => key));
    await runner.query('UPDATE endpoint_state SET failing_since = NULL WHERE endpoint_id = ANY ($1::uuid[])', [
      failing.filter(({ key }) => !known.has(key)).map(({ id }) => id),
    ]);
  }

  /** Nothing to take back: the version before reads these rows as it always did. */
  async down(): Promise<void> {}
}
