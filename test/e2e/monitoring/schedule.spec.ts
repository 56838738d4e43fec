/**
 * @lane slow
 * @databases both
 */
import type { ClaimedSlot } from '../../../src/engine/claimed-slot';
import { EndpointSchedule, phaseMs } from '../../../src/endpoint/endpoint-schedule';
import { Database, type Sql, WorkerDatabase } from '../../../src/platform/database/database';
import { newUuid, parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newWebsite } from '../../harness/app/resources';

interface Row {
  id: string;
  phase: number;
  interval: number;
  next: number;
  now: number;
  claimedBy: number | null;
}

const [ONE, TWO] = [1, 2] as const;

const isOnGrid = ({ phase, interval }: Row, atMs: number) => (Math.round(atMs) - phase) % (interval * 1000) === 0;
const slotsOf = (claimed: readonly ClaimedSlot[], id: string) =>
  claimed.filter(({ endpointId }) => endpointId === id).map(({ slotMs }) => Math.round(slotMs));

describe('the schedule', () => {
  let app: TestApp;
  let database: Sql;
  let schedule: EndpointSchedule;
  let orgId: string;
  let websiteUuid: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    schedule = app.app.get(EndpointSchedule);
    websiteUuid = parseId('website', await newWebsite(app.write)) ?? '';
    const [row] = await database.query<{ orgId: string }>('SELECT org_id AS "orgId" FROM website');
    orgId = row?.orgId ?? '';
  });
  afterAll(() => app.close());
  beforeEach(() => database.query('DELETE FROM endpoint'));

  /** Adds endpoints to the schedule as creating them does. */
  async function add(count: number, settings: { interval?: number; timeout?: number; active?: boolean } = {}) {
    const { interval = 60, timeout = 10, active = true } = settings;
    const ids = Array.from({ length: count }, () => newUuid());
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type) SELECT id, $2, $3, 'Endpoint', 'http://a.test/', 'HTTP' FROM unnest($1::uuid[]) AS e (id)`,
      [ids, orgId, websiteUuid],
    );
    await database.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = ANY ($1::uuid[])',
      [ids],
    );
    await schedule.add(
      database,
      ids.map((endpointId) => ({
        endpointId,
        orgId,
        intervalSeconds: interval,
        timeoutSeconds: timeout,
        active,
        scheduled: true,
        revision: 1,
        locations: ['local'],
      })),
    );
    return ids;
  }

  const rows = () =>
    database.query<Row>(
      `SELECT endpoint_id AS id, phase_ms AS phase, interval_seconds AS interval, claimed_by AS "claimedBy",
              (extract(epoch FROM next_check_at) * 1000)::float8 AS next, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
         FROM endpoint_schedule ORDER BY endpoint_id`,
    );
  const onlyRow = async (): Promise<Row> => {
    const [row] = await rows();
    if (!row) throw new Error('the schedule is empty');
    return row;
  };
  const dueIn = (seconds: number) =>
    database.query(`UPDATE endpoint_schedule SET next_check_at = now() + make_interval(secs => $1::float8)`, [seconds]);
  const claim = async (instance: number, { limit = 1000, ahead = 2 } = {}, sql: Sql = database) =>
    (await schedule.claim(sql, instance, limit, ahead)).slots;
  /** Spreads the checks as after a pause. */
  const spread = async () => {
    const [row] = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return (await schedule.spreadOverdue(database, new Date((row?.now.getTime() ?? 0) - 10_000))).endpoints;
  };

  it('schedules a new endpoint at once, and its next slot half to one and a half intervals later, on its grid', async () => {
    await add(40, { interval: 60 });
    const before = await rows();
    const claimed = await claim(ONE);
    expect(claimed.map(({ endpointId }) => endpointId).sort()).toEqual(before.map(({ id }) => id));
    for (const row of await rows()) {
      const [slot = 0] = slotsOf(claimed, row.id);
      expect(isOnGrid(row, row.next)).toBe(true);
      expect(row.next - slot).toBeGreaterThanOrEqual(30_000);
      expect(row.next - slot).toBeLessThanOrEqual(90_000);
    }
    expect(await claim(ONE)).toEqual([]);
  });

  it('ignores an endpoint that is active but not scheduled: no claim, no move, no lag', async () => {
    const [pushed] = await add(2);
    await database.query('UPDATE endpoint_schedule SET scheduled = false WHERE endpoint_id = $1', [pushed]);
    await dueIn(-3600);
    const stored = () => database.query('SELECT * FROM endpoint_schedule WHERE endpoint_id = $1', [pushed]);
    const before = await stored();

    expect(await spread()).toBe(1);
    expect(await schedule.skipLate(database, 6, 1)).toBe(0);
    await schedule.bringForward(database);
    const { slots } = await schedule.claimOfOne(database, ONE, 10, 300, { orgId });
    expect([...slots, ...(await claim(ONE, { ahead: 300 }))].map(({ endpointId }) => endpointId)).not.toContain(pushed);
    expect(await stored()).toEqual(before);
    expect(await database.query('SELECT active_endpoints, lag_ms FROM system_facts')).toEqual([
      { active_endpoints: 1, lag_ms: 0 },
    ]);
  });

  it.each([1, 7, 20, 3600, 86_400])('claims slots exactly %i s apart', async (interval) => {
    await add(3, { interval });
    // The first claims run ahead of the clock, so that a slow machine misses no slot of the comparison.
    for (let turn = 0; turn < 8; turn++) await claim(ONE, { ahead: 20 * interval });
    const claimed: ClaimedSlot[] = [];
    for (let turn = 0; turn < 4; turn++) claimed.push(...(await claim(ONE, { ahead: 20 * interval })));
    for (const row of await rows()) {
      const slots = slotsOf(claimed, row.id);
      expect(slots).toHaveLength(4);
      for (const [index, slot] of slots.entries()) {
        expect(isOnGrid(row, slot)).toBe(true);
        expect(slot - (slots[0] ?? 0)).toBe(index * interval * 1000);
      }
    }
  });

  it('spreads the slots of many endpoints evenly over the interval, on multiples of 20 ms', () => {
    const phases = Array.from({ length: 10_000 }, () => phaseMs(newUuid(), 20));
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const phase of phases) {
      expect(phase).toBeGreaterThanOrEqual(0);
      expect(phase).toBeLessThan(20_000);
      expect(phase % 20).toBe(0);
      const tenth = Math.floor(phase / 2000);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    // The expected count is 1000, and six standard deviations are 180.
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(180);
  });

  it('claims the slots that are due first, at most the requested number, and none that are due later', async () => {
    await add(10, { interval: 3600 });
    await database.query(
      `UPDATE endpoint_schedule s SET next_check_at = now() + make_interval(mins => n.position::int)
         FROM (SELECT endpoint_id, row_number() OVER (ORDER BY endpoint_id) AS position FROM endpoint_schedule) n WHERE n.endpoint_id = s.endpoint_id`,
    );
    const order = (await rows()).map(({ id }) => id);
    const ahead = 7.5 * 60;
    const first = await claim(ONE, { limit: 3, ahead });
    expect(first.map(({ endpointId }) => endpointId).sort()).toEqual(order.slice(0, 3));
    const rest = await claim(ONE, { limit: 100, ahead });
    expect(rest.map(({ endpointId }) => endpointId).sort()).toEqual(order.slice(3, 7));
  });

  it('claims at most the requested number of slots for one organization if there is such a limit', async () => {
    const small = await app.organization('Small');
    const ids = await add(5);
    expect((await schedule.claimOfOne(database, ONE, 10, 2, { orgId: small.orgId })).slots).toEqual([]);
    const { slots: claimed } = await schedule.claimOfOne(database, ONE, 3, 2, { orgId });
    const { slots: rest } = await schedule.claim(database, ONE, 10, 2, { without: [small.orgId] });
    expect([...claimed, ...rest].map(({ endpointId }) => endpointId).sort()).toEqual([...ids].sort());
    expect(claimed).toHaveLength(3);
  });

  it('claims no slot of a paused endpoint', async () => {
    await add(3, { active: false });
    expect(await claim(ONE)).toEqual([]);
    expect(await spread()).toBe(0);
  });

  it('lets no other instance claim an endpoint whose check may still be running, until it is released', async () => {
    const [id = ''] = await add(1, { interval: 5, timeout: 20 });
    expect(await claim(ONE)).toHaveLength(1);
    await dueIn(0);
    expect(await claim(TWO)).toEqual([]);
    await schedule.release(database, ONE, [id]);
    expect(await claim(TWO)).toHaveLength(1);
  });

  it('lets an instance claim the next slot of an endpoint that it is still checking', async () => {
    await add(1, { interval: 5, timeout: 20 });
    await claim(ONE);
    await dueIn(0);
    expect(await claim(ONE)).toHaveLength(1);
  });

  it('lets another instance claim without a release when the check must be over before the next slot', async () => {
    await add(1, { interval: 60, timeout: 10 });
    await claim(ONE);
    await dueIn(0);
    expect(await claim(TWO)).toHaveLength(1);
  });

  it('claims only the newest slot after a long downtime, spread over the smaller of interval and 30 s', async () => {
    await add(60, { interval: 20 });
    await add(60, { interval: 3600 });
    await dueIn(-7200);
    expect(await spread()).toBe(120);
    const after = await rows();
    for (const { next, now, interval } of after) {
      expect(next).toBeGreaterThan(now - 5000);
      expect(next).toBeLessThanOrEqual(now + Math.min(interval, 30) * 1000);
    }
    const seconds = new Set(after.map(({ next }) => Math.floor(next / 1000)));
    expect(seconds.size).toBeGreaterThan(15);
    const claimed = await claim(ONE, { ahead: 31 });
    expect(new Set(claimed.map(({ endpointId }) => endpointId)).size).toBe(120);
    expect(claimed).toHaveLength(120);
    for (const row of await rows()) expect(isOnGrid(row, row.next)).toBe(true);
  });

  it('claims the longest-waiting slots first, no matter how late they are: under overload no endpoint is moved to the back', async () => {
    const [late = ''] = await add(1, { interval: 3600 });
    await dueIn(-600);
    const ids = await add(5, { interval: 3600 });
    expect((await claim(ONE, { limit: 1 })).map(({ endpointId }) => endpointId)).toEqual([late]);
    expect((await claim(ONE)).map(({ endpointId }) => endpointId).sort()).toEqual(ids.sort());
  });

  it.each([
    [1, 5, 5],
    [10, 35, 3],
    [10, 9, 0],
    [60, 45, 0],
  ])(
    'reports that the slots of an endpoint every %i s which waited %i s make %i more that are skipped',
    async (interval, waited, skipped) => {
      await add(20, { interval });
      await database.query(
        `UPDATE endpoint_schedule SET next_check_at = date_bin(make_interval(secs => $1::int), now() - make_interval(secs => $2::int),
              timestamptz 'epoch' + make_interval(secs => phase_ms / 1000.0))`,
        [interval, waited],
      );
      const claimed = await claim(ONE, { ahead: 0 });
      const lateness = await rows();
      for (const slot of claimed) {
        const { next = 0 } = lateness.find(({ id }) => id === slot.endpointId) ?? {};
        expect(slot.skipped).toBe((next - Math.round(slot.slotMs)) / (interval * 1000) - 1);
        expect([skipped, skipped + 1]).toContain(slot.skipped);
      }
    },
  );

  it('counts no slot as skipped that was claimed in time, on the grid or as a new endpoint next to it', async () => {
    await add(20, { interval: 5 });
    for (let turn = 0; turn < 3; turn++)
      expect((await claim(ONE, { ahead: 15 })).map((slot) => slot.skipped)).toEqual(
        Array.from({ length: 20 }, () => 0),
      );
  });

  it('returns the database’s time also without slots, and claims none if that is past the limit', async () => {
    await add(1);
    const [row] = await rows();
    const limit = { notAfter: new Date((row?.now ?? 0) - 1) };
    const { nowMs, slots } = await schedule.claim(database, ONE, 10, 2, limit);
    expect(slots).toEqual([]);
    expect(nowMs).toBeGreaterThanOrEqual(Math.floor(row?.now ?? Infinity));
    expect(await claim(ONE)).toHaveLength(1);
  });

  it('spreads slots that were due before a pause, and leaves later slots to their turn', async () => {
    await add(5, { interval: 3600 });
    await dueIn(-11);
    const [row] = await rows();
    expect(await schedule.spreadOverdue(database, new Date((row?.now ?? 0) - 30_000))).toEqual({
      endpoints: 0,
      slots: 0,
    });
    expect(await spread()).toBe(5);
    expect(await claim(ONE, { ahead: 31 })).toHaveLength(5);
  });

  it('skips a very late slot once in a row, then lets it wait for its turn; a new endpoint is never skipped', async () => {
    await add(10, { interval: 60 });
    await claim(ONE);
    await database.query(
      `UPDATE endpoint_schedule SET busy_until = NULL, claimed_slot = claimed_slot - interval '1 hour',
              next_check_at = claimed_slot - interval '1 hour' + interval '60 seconds'`,
    );
    // The same distance as after one interval, an hour ago. 59 slots were then skipped.
    expect(await schedule.skipLate(database, 6, 1)).toBeGreaterThanOrEqual(10 * 59);
    for (const { next, now } of await rows()) expect(next).toBeGreaterThan(now);
    await dueIn(-30);
    expect(await schedule.skipLate(database, 6, 1)).toBe(0);
    const [fresh = ''] = await add(1, { interval: 60 });
    await database.query(
      `UPDATE endpoint_schedule SET next_check_at = now() - interval '30 seconds' WHERE endpoint_id = $1`,
      [fresh],
    );
    expect(await schedule.skipLate(database, 6, 5)).toBe(0);
    expect(await claim(ONE)).toHaveLength(11);
  });

  it('skips no slot that is only a little late', async () => {
    await add(10, { interval: 60 });
    await claim(ONE);
    await database.query(
      `UPDATE endpoint_schedule SET claimed_slot = now() - interval '65 seconds', next_check_at = now() - interval '5 seconds'`,
    );
    expect(await schedule.skipLate(database, 6, 1)).toBe(0);
  });

  it('lets another instance claim when the check of an instance that does not respond must be over', async () => {
    await add(1, { interval: 5, timeout: 20 });
    await claim(ONE);
    await dueIn(-4);
    await database.query(`UPDATE endpoint_schedule SET busy_until = now() - interval '1 second'`);
    expect(await claim(TWO)).toHaveLength(1);
  });

  it('claims an overdue slot of an endpoint that the same instance may still be checking: nothing else would before the release', async () => {
    await add(1, { interval: 5, timeout: 20 });
    await claim(ONE);
    await dueIn(-11);
    expect(await spread()).toBe(0);
    expect(await claim(TWO)).toEqual([]);
    expect(await claim(ONE)).toHaveLength(1);
  });

  it('claims a slot that is a few seconds late once, without the slots missed after it', async () => {
    await add(20, { interval: 1 });
    await dueIn(-5);
    expect(await spread()).toBe(0);
    const { slots, nowMs: claimedAt } = await schedule.claim(database, ONE, 1000, 0);
    expect(slots).toHaveLength(20);
    for (const { next } of await rows()) {
      expect(next).toBeGreaterThan(claimedAt);
      expect(next).toBeLessThanOrEqual(claimedAt + 1000);
    }
  });

  it('makes returned slots due at once, for every instance', async () => {
    const ids = await add(5, { interval: 5, timeout: 20 });
    const claimed = await claim(ONE);
    await schedule.giveBack(
      database,
      ONE,
      claimed.filter(({ endpointId }) => ids.slice(0, 2).includes(endpointId)),
    );
    expect((await claim(TWO)).map(({ endpointId }) => endpointId).sort()).toEqual(ids.slice(0, 2).sort());
  });

  it('makes returned slots that were claimed ahead due at their own time, because the one before may just have been checked', async () => {
    const [id = ''] = await add(1, { interval: 1, timeout: 20 });
    await claim(ONE);
    await dueIn(600);
    // The next slot, and the one after it.
    const claimed = [...(await claim(ONE, { ahead: 1200 })), ...(await claim(ONE, { ahead: 1200 }))];
    const [first = 0, second = 0] = slotsOf(claimed, id);
    expect(second).toBeGreaterThan(first);
    await database.query(`UPDATE endpoint_schedule SET interval_seconds = 3600`);
    await schedule.giveBack(database, ONE, claimed.toReversed());
    expect(await claim(TWO)).toEqual([]);
    expect(slotsOf(await claim(TWO, { ahead: 1200 }), id)).toEqual([first]);
  });

  it('makes a returned slot due within an interval if the clock was set back in the meantime', async () => {
    await add(1, { interval: 60 });
    await claim(ONE);
    await dueIn(3600);
    await schedule.giveBack(database, ONE, await claim(ONE, { ahead: 4000 }));
    expect(await claim(TWO)).toEqual([]);
    expect(await claim(TWO, { ahead: 61 })).toHaveLength(1);
  });

  it('makes only those slots due that a dead instance had claimed and not recorded', async () => {
    const ids = await add(6, { interval: 3600 });
    const claimed = await claim(ONE, { limit: 4 });
    const others = await claim(TWO);
    expect(others).toHaveLength(2);
    const [recorded] = claimed;
    await database.query(
      `UPDATE endpoint_state s SET last_slot_at = c.claimed_slot FROM endpoint_schedule c
        WHERE c.endpoint_id = s.endpoint_id AND s.endpoint_id = $1`,
      [recorded?.endpointId],
    );
    expect(await schedule.takeOver(database, ONE)).toBe(3);
    const again = (await claim(TWO)).map(({ endpointId }) => endpointId);
    const untouched = [...others, recorded].map((slot) => slot?.endpointId);
    expect(again.sort()).toEqual(ids.filter((id) => !untouched.includes(id)).sort());
  });

  it('lets others claim the endpoints of a dead instance at their next slot when all its checks were recorded', async () => {
    const ids = await add(4, { interval: 5, timeout: 20 });
    await claim(ONE);
    await database.query(
      'UPDATE endpoint_state s SET last_slot_at = c.claimed_slot FROM endpoint_schedule c WHERE c.endpoint_id = s.endpoint_id',
    );
    expect(await schedule.takeOver(database, ONE)).toBe(0);
    await dueIn(0);
    expect((await claim(TWO)).map(({ endpointId }) => endpointId).sort()).toEqual(ids.sort());
  });

  it('gives every slot to exactly one of several claimers, and never two running checks of one endpoint', async () => {
    const [timeout, interval, windowSeconds] = [2, 3, 45];
    await add(60, { interval, timeout });
    const before = await rows();
    const claimers = [
      { instance: ONE, sql: database },
      { instance: TWO, sql: app.app.get(WorkerDatabase) as Sql },
      { instance: 3, sql: database },
    ];
    const claimedSlots = new Map<string, { slot: number; by: number }[]>();
    const until = (before[0]?.now ?? 0) + windowSeconds * 1000;
    for (let turn = 0, found = 1; found > 0; turn++) {
      expect(turn).toBeLessThan(200);
      const ahead = (until - (await onlyRow()).now) / 1000;
      const claims = await Promise.all(claimers.map(({ instance, sql }) => claim(instance, { limit: 25, ahead }, sql)));
      found = claims.flat().length;
      for (const [index, slots] of claims.entries())
        for (const { endpointId, slotMs } of slots) {
          const list = claimedSlots.get(endpointId) ?? [];
          claimedSlots.set(endpointId, [...list, { slot: Math.round(slotMs), by: claimers[index]?.instance ?? 0 }]);
        }
    }
    const busyMs = (2 * timeout + 5) * 1000;
    for (const row of await rows()) {
      const slots = (claimedSlots.get(row.id) ?? []).sort((a, b) => a.slot - b.slot);
      expect(new Set(slots.map(({ slot }) => slot)).size).toBe(slots.length);
      const [, second] = slots;
      for (const [index, { slot, by }] of slots.entries()) {
        if (index > 0 && second) expect(slot).toBe(second.slot + (index - 1) * interval * 1000);
        const previous = slots[index - 1];
        if (previous && previous.by !== by) expect(slot - previous.slot).toBeGreaterThanOrEqual(busyMs);
      }
      expect((slots.at(-1)?.slot ?? 0) + interval * 1000).toBeGreaterThan(until - 1000);
    }
  });
});
