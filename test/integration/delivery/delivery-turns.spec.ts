import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { newUuid } from '../../../src/platform/ids/id';
import { dueDestinations } from '../../../src/delivery/send/destination-queries';
import { Alerting } from '../../harness/app/alerting';

const NOBODY = { orgs: [], destinations: [], hosts: [] };

describe('the destinations that are served next', () => {
  let alerting: Alerting;

  beforeAll(async () => {
    alerting = await Alerting.start();
  });
  afterAll(() => alerting.close());
  afterEach(() => alerting.database.query('DELETE FROM notification_destination'));

  const now = () => alerting.nest.get(DatabaseClock).now();

  /** Creates destinations `<prefix>0`, `<prefix>1` … of one organization, due for `ageMs`, each slightly less. */
  const makeDue = async (count: number, { prefix = 'd', ageMs = 60_000, host = null as string | null } = {}) => {
    const orgId = newUuid();
    await alerting.database.query(
      `INSERT INTO notification_destination (org_id, destination, channel_type, host, due_at)
       SELECT $1, $2 || i, 'webhook', $3, $4::timestamptz + i * interval '1 millisecond' FROM generate_series(0, $5 - 1) AS i`,
      [orgId, prefix, host, new Date(now().getTime() - ageMs), count],
    );
    return orgId;
  };
  const look = (limit: number, busy: Parameters<typeof dueDestinations>[3] = NOBODY) =>
    dueDestinations(alerting.database, now(), limit, busy);

  it('are a few of each organization, even if one of them has thousands', async () => {
    const many = await makeDue(5000, { ageMs: 600_000 });
    const few = await Promise.all([makeDue(1), makeDue(2)]);
    const found = await look(64);

    expect(found.slice(0, 3).map(({ orgId }) => orgId)).toEqual(expect.arrayContaining([many, ...few]));
    expect(found.filter(({ orgId }) => orgId === many)).toHaveLength(16);
    expect(found).toHaveLength(19);
  });

  it('are those due for the longest, and none that is due later', async () => {
    const orgId = await makeDue(3);
    await makeDue(2, { ageMs: -60_000 });
    expect(await look(2)).toEqual([
      { orgId, destination: 'd0' },
      { orgId, destination: 'd1' },
    ]);
  });

  it('leave out a destination that is busy for its own organization only', async () => {
    const [mine, theirs] = [await makeDue(2, { host: 'hooks.example' }), await makeDue(2, { host: 'hooks.example' })];
    const looked = async (busy: object) => new Set((await look(8, { ...NOBODY, ...busy })).map(({ orgId }) => orgId));

    expect(await looked({ hosts: [{ orgId: theirs, key: 'hooks.example' }] })).toEqual(new Set([mine]));
    expect(await looked({ orgs: [theirs] })).toEqual(new Set([mine]));
    const destinations = ['d0', 'd1'].map((key) => ({ orgId: theirs, key }));
    expect(await looked({ destinations })).toEqual(new Set([mine]));
  });

  it('include destinations whose host is not known while hosts are busy', async () => {
    const orgId = await makeDue(1);
    expect(await look(8, { ...NOBODY, hosts: [{ orgId: newUuid(), key: 'hooks.example' }] })).toEqual([
      { orgId, destination: 'd0' },
    ]);
  });

  it('are empty when nothing is pending', async () => {
    expect(await look(8)).toEqual([]);
  });
});
