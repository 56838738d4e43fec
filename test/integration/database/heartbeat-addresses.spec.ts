/** @lane slow @databases both */
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { HeartbeatAddresses1796432420000 } from '../../../src/platform/database/migrations/1796432420000-heartbeat-addresses';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { parseId } from '../../../src/platform/ids/id';

describe('the migration of heartbeat URLs', () => {
  let app: TestApp;
  const migration = new HeartbeatAddresses1796432420000();
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    await app.app.get(DataSource).query('SELECT 1');
  });
  afterAll(() => app.close());

  const addressesOf = async (id: string) => {
    const rows: object[] = await app.app
      .get(DataSource)
      .query('SELECT ping_id, old_ping_id FROM heartbeat WHERE endpoint_id = $1', [id]);
    return rows[0];
  };

  it('leaves each URL to one heartbeat if an older build gave it to two, and can be reverted', async () => {
    const source = app.app.get(DataSource);
    const runner = source.createQueryRunner();
    try {
      await migration.down(runner);
      const website = await newWebsite(app.write);
      const make = async () =>
        parseId(
          'endpoint',
          await newEndpoint(app.write, website, { url: undefined, type: 'HEARTBEAT', heartbeat: { every: 3600 } }),
        );
      const [rotated, taker, kept, ended] = [await make(), await make(), await make(), await make()];
      const [taken, own, over] = [randomUUID(), randomUUID(), randomUUID()];
      const rotate = (id: string | null, old: string, until: string) =>
        runner.query(`UPDATE heartbeat SET old_ping_id = $2, old_until = now() + $3::interval WHERE endpoint_id = $1`, [
          id,
          old,
          until,
        ]);
      await rotate(rotated, taken, '1 hour');
      await runner.query('UPDATE heartbeat SET ping_id = $2 WHERE endpoint_id = $1', [taker, taken]);
      await rotate(kept, own, '1 hour');
      await rotate(ended, over, '-1 hour');
      await migration.up(runner);
      const all = [rotated, taker, kept, ended].map((id) => addressesOf(id ?? ''));
      expect(await Promise.all(all)).toMatchObject([
        { old_ping_id: null },
        { ping_id: taken, old_ping_id: null },
        { old_ping_id: own },
        { old_ping_id: null },
      ]);
      const held: { address: string }[] = await runner.query(
        `SELECT address FROM heartbeat_address WHERE kind = 'id' AND address = ANY ($1) ORDER BY address`,
        [[taken, own, over]],
      );
      expect(held.map(({ address }) => address)).toEqual([taken, own].toSorted());
    } finally {
      await runner.release();
    }
  });
});
