import { EndpointSchedule } from '../../../src/endpoint/endpoint-schedule';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

/** Numbers of instances that no process here has. */
const [CUT_OFF, OTHER, THIRD] = [910_001, 910_002, 910_003];

describe('a slot that an instance claimed and could not run', () => {
  let app: TestApp;
  let orgId: string;
  let endpoint: string;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    const organization = await app.organization('Given back');
    ({ orgId } = organization);
    // A check that may take longer than the interval. Its claim blocks other instances until it is recorded.
    const slow = { interval: 20, timeout: 20 };
    const id = await newEndpoint(organization.write, await newWebsite(organization.write), slow);
    endpoint = parseId('endpoint', id) ?? '';
  });
  afterAll(() => app.close());
  beforeEach(() => isDue(', busy_until = NULL, claimed_by = NULL'));

  const isDue = (andSet = '') =>
    app.app
      .get(Database)
      .query(
        `UPDATE endpoint_schedule SET next_check_at = now() - interval '1 second' ${andSet} WHERE endpoint_id = $1`,
        [endpoint],
      );

  const schedule = () => app.app.get(EndpointSchedule);
  const claim = async (instance: number) =>
    (await schedule().claimOfOne(app.app.get(Database), instance, 10, 0, { orgId })).slots;
  const claimedBy = async (instance: number): Promise<number> => (await claim(instance)).length;

  it('is due again at once when it is returned', async () => {
    const slots = await claim(CUT_OFF);
    expect([slots.length, await claimedBy(OTHER)]).toEqual([1, 0]);
    await schedule().giveBack(app.app.get(Database), CUT_OFF, slots);
    expect(await claimedBy(OTHER)).toBe(1);
  });

  it('does not become due a second time if another instance has claimed it since, because it presumed the first one dead', async () => {
    const slots = await claim(CUT_OFF);
    expect(slots).toHaveLength(1);
    await schedule().takeOver(app.app.get(Database), CUT_OFF);
    expect(await claimedBy(OTHER)).toBe(1);
    await schedule().giveBack(app.app.get(Database), CUT_OFF, slots);
    expect(await claimedBy(THIRD)).toBe(0);
  });

  it('stays with the instance that has claimed it since when the one presumed dead finally records its check', async () => {
    const sql = app.app.get(Database);
    expect(await claimedBy(CUT_OFF)).toBe(1);
    await schedule().takeOver(sql, CUT_OFF);
    await isDue();
    expect(await claimedBy(OTHER)).toBe(1);
    await schedule().release(sql, CUT_OFF, [endpoint]);
    await isDue();
    expect(await claimedBy(THIRD)).toBe(0);
    await schedule().release(sql, OTHER, [endpoint]);
    expect(await claimedBy(THIRD)).toBe(1);
  });
});
