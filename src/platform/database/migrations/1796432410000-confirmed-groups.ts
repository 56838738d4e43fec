import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rights from groups last for one day after the groups were sent. People whose session shows that their groups were
 * sent keep their rights during the upgrade. All others have to sign in again. Fast on a full table: adds a column
 * without a default, and updates the people who are signed in through single sign-on or the proxy.
 */
export class ConfirmedGroups1796432410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- When the provider or the proxy last listed the groups of the person.
      ALTER TABLE person ADD COLUMN groups_confirmed_at timestamptz(3);
      UPDATE person p SET groups_confirmed_at = s.at
        FROM (SELECT person_id, max(created_at) AS at FROM session
               WHERE via IN ('single_sign_on', 'proxy') GROUP BY person_id) AS s
       WHERE p.id = s.person_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE person DROP COLUMN groups_confirmed_at');
  }
}
