/** @databases both */
import { EndpointSchedule } from '../../../src/endpoint/endpoint-schedule';
import type { ClaimedSlot } from '../../../src/engine/claimed-slot';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { Database, WorkerDatabase } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { eventually } from '../../../packages/testing/eventually';
import { startApp, type TestApp } from '../../harness/app/app';
import { recorded as finishedCheck } from '../../harness/app/history';
import { newRecorder } from '../../harness/app/recorder';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { onServer } from '../../harness/database/on-server';

describe('a slot of an instance that is presumed dead and comes back', () => {
  let app: TestApp;
  let sql: Database;
  let schedule: EndpointSchedule;
  /** Numbers of instances that no process here has. */
  let instances: number[];
  let site: { id: string; key: string; orgId: string };

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    sql = app.app.get(Database);
    schedule = app.app.get(EndpointSchedule);
    const rows = await sql.query<{ id: number }>(
      `INSERT INTO instance (role, locations) VALUES ('all', true), ('all', true) RETURNING id`,
    );
    instances = rows.map(({ id }) => id);
  });
  afterAll(async () => {
    await sql.query('DELETE FROM instance WHERE id = ANY ($1)', [instances]);
    await app.close();
  });
  beforeEach(async () => {
    const { write, orgId } = await app.organization('Taken over');
    const id = parseId('endpoint', await newEndpoint(write, await newWebsite(write), { interval: 20, timeout: 20 }));
    const [row] = await sql.query<{ key: string }>('SELECT key::text AS key FROM endpoint WHERE id = $1', [id]);
    site = { id: id ?? '', key: row?.key ?? '', orgId };
  });

  const claimAs = (which: 0 | 1) => claim(instances[which] ?? 0);
  const takeOver = () => schedule.takeOver(sql, instances[0] ?? 0);
  /** Claims the slots that are due within two seconds, as an instance does. */
  const claim = async (instance: number): Promise<ClaimedSlot> => {
    const { slots } = await schedule.claimOfOne(sql, instance, 10, 2, { orgId: site.orgId });
    const [slot] = slots;
    if (!slot || slots.length > 1) throw new Error(`${slots.length} slots are due`);
    return slot;
  };
  const isDueIn = (seconds: number) =>
    sql.query(`UPDATE endpoint_schedule SET next_check_at = now() + make_interval(secs => $2) WHERE endpoint_id = $1`, [
      site.id,
      seconds,
    ]);
  const checkOf = ({ slotMs, revision }: ClaimedSlot): FinishedCheck => ({
    ...finishedCheck(site, new Date(slotMs), 'up', 12.5),
    orgId: site.orgId,
    revision,
    slotMs,
  });

  it.each([
    ['', 'in the past', -0.5, false],
    ['', 'claimed ahead of its time', 1.5, false],
    ['at one of several locations ', 'in the past', -0.5, true],
    ['at one of several locations ', 'claimed ahead of its time', 1.5, true],
  ])('is recorded %sonly for the instance that took it over, one %s', async (_, __, seconds, isLocated) => {
    if (isLocated) {
      await sql.query('UPDATE endpoint_schedule SET located = true WHERE endpoint_id = $1', [site.id]);
      await sql.query(
        `INSERT INTO endpoint_location (endpoint_id, number, org_id, position, phase_ms)
         SELECT $1, number, $2, number, 0 FROM unnest('{0,30001}'::smallint[]) AS n (number)`,
        [site.id, site.orgId],
      );
    }
    await isDueIn(seconds);
    const slot = await claimAs(0);
    expect(await takeOver()).toBe(1);
    const again = await claimAs(1);
    const [silent, other] = [newRecorder(app), newRecorder(app)];
    expect(await silent.record(checkOf(slot))).toBe('dropped');
    expect(await other.record(checkOf(again))).toBe('recorded');
    expect(await sql.query('SELECT FROM check_result WHERE endpoint_key = $1', [site.key])).toHaveLength(1);
  });

  onServer('is not taken over when it is being recorded at that moment', async () => {
    await isDueIn(-0.5);
    await claimAs(0);
    let due: Promise<number> = Promise.resolve(-1);
    await app.app.get(WorkerDatabase).transaction(async (tx) => {
      await tx.query(
        `UPDATE endpoint_state t SET last_slot_at = s.claimed_slot FROM endpoint_schedule s
          WHERE s.endpoint_id = $1 AND t.endpoint_id = s.endpoint_id`,
        [site.id],
      );
      let isDone = false;
      due = takeOver().finally(() => (isDone = true));
      const waits = async () =>
        isDone ||
        (await tx.query(`SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`)).length >
          0;
      await eventually('it waits, or did not', waits);
    });
    expect(await due).toBe(0);
  });
});
