/** @lane slow */
import { HeartbeatSweep } from '../../../src/heartbeat/heartbeat-sweep.job';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { eventually } from '../../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Job {
  id: string;
  pingId: string;
}

/** Nights in which the clocks in Berlin change, in order. */
const NIGHTS = [
  {
    night: 'spring, when 02:30 does not exist and means 03:00',
    dayBefore: '2027-03-27T12:00:00.000Z',
    expected: { at0230: '2027-03-28T01:00:00.000Z', at0330: '2027-03-28T01:30:00.000Z' },
    pinged: { at0230: '2027-03-28T01:02:00.000Z', at0330: '2027-03-28T01:33:00.000Z' },
    missed: '2027-03-28T01:10:00.000Z',
    next: { at0230: '2027-03-29T00:30:00.000Z', at0330: '2027-03-29T01:30:00.000Z' },
    beforeNext: '2027-03-29T00:25:00.000Z',
  },
  {
    night: 'autumn, when 02:30 comes twice and means the first',
    dayBefore: '2027-10-30T12:00:00.000Z',
    expected: { at0230: '2027-10-31T00:30:00.000Z', at0330: '2027-10-31T02:30:00.000Z' },
    pinged: { at0230: '2027-10-31T00:32:00.000Z', at0330: '2027-10-31T02:33:00.000Z' },
    missed: '2027-10-31T00:40:00.000Z',
    next: { at0230: '2027-11-01T01:30:00.000Z', at0330: '2027-11-01T02:30:00.000Z' },
    beforeNext: '2027-11-01T01:25:00.000Z',
  },
] as const;

describe('a nightly job with cron in Europe/Berlin', () => {
  let app: TestApp;
  let websiteId: string;
  beforeAll(async () => {
    app = await startOwnApp();
    websiteId = await newWebsite(app.write);
  });
  afterAll(() => app.close());

  const make = async (cron: string): Promise<Job> => {
    const heartbeat = { cron, timezone: 'Europe/Berlin', grace: 600 };
    const id = await newEndpoint(app.write, websiteId, { url: undefined, type: 'HEARTBEAT', heartbeat });
    const { body } = await app.write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${id}`);
    return { id, pingId: body.heartbeat.ping_id };
  };
  const ping = async (...jobs: readonly Job[]): Promise<void> => {
    for (const { pingId } of jobs) expect((await fetch(`${app.url}/ping/${pingId}`)).status).toBe(200);
  };
  const expectedOf = async ({ id }: Job): Promise<string | null> =>
    (await app.read.get<{ heartbeat: { next_expected_at: string | null } }>(`/endpoints/${id}`)).body.heartbeat
      .next_expected_at;
  const checks = async ({ id }: Job) =>
    (
      await app.read.get<{ outcome: string; checked_at: string; error: { code: string } | null }[]>(
        `/endpoints/${id}/checks`,
      )
    ).body.toReversed();
  const outcomes = async (job: Job) => (await checks(job)).map(({ error, outcome }) => error?.code ?? outcome);
  /** Sets the clock to this time and judges everything that is due. */
  const moveTo = async (time: string): Promise<void> => {
    await app.advance(`${Date.parse(time) - app.app.get(DatabaseClock).now().getTime()} ms`);
    const left = 'SELECT FROM heartbeat WHERE pending IS NOT NULL OR next_at <= $1';
    await eventually('nothing is left', async () => {
      await app.app.get(HeartbeatSweep).run();
      return (await app.app.get(Database).query(left, [new Date(time)])).length === 0;
    });
  };

  it.each(NIGHTS)('is expected once in the night of $night', async (night) => {
    await moveTo(night.dayBefore);
    const [at0230, at0330, silent] = [await make('30 2 * * *'), await make('30 3 * * *'), await make('30 2 * * *')];
    await ping(at0230, at0330, silent);
    expect([await expectedOf(at0230), await expectedOf(at0330)]).toEqual(Object.values(night.expected));

    await moveTo(night.pinged.at0230);
    await ping(at0230);
    await moveTo(night.pinged.at0330);
    await ping(at0330);
    await moveTo(night.beforeNext);
    expect([await outcomes(at0230), await outcomes(at0330)]).toEqual([
      ['up', 'up'],
      ['up', 'up'],
    ]);
    expect([await expectedOf(at0230), await expectedOf(at0330)]).toEqual(Object.values(night.next));
    expect(await outcomes(silent)).toEqual(['up', 'heartbeat_missed']);
    expect((await checks(silent)).at(-1)?.checked_at).toBe(night.missed);
    for (const { id } of [at0230, at0330, silent]) await app.write.delete(`/endpoints/${id}`);
  });
});
