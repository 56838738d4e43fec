/**
 * @lane slow
 * @databases both
 */
import { EndpointSchedule } from '../../../src/endpoint/endpoint-schedule';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { eventually } from '../../../packages/testing/eventually';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

/** The number of an instance of a later version, which no process here has. */
const LATER = 910_001;

describe('an endpoint of a type that this instance does not know', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let id: string;
  let known: string;
  const database = () => app.app.get(Database);
  const uuid = (endpoint: string) => parseId('endpoint', endpoint) ?? '';

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp({}, { durable: true });
    const website = await newWebsite(app.write);
    known = await newEndpoint(app.write, website, { url: target.url, type: 'HTTP', interval: 1 });
    id = await newEndpoint(app.write, website, { url: target.url, type: 'HTTP', enabled: false });
    await database().query(`UPDATE endpoint SET type = 'LATER', enabled = true WHERE id = $1`, [uuid(id)]);
    await app.stop();
    await app.restart();
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  const checkedAt = async (endpoint: string) =>
    (await app.read.get<{ last_checked_at: string | null }>(`/endpoints/${endpoint}`)).body.last_checked_at;
  /** This instance looks two seconds ahead, and the later one only at due slots. */
  const isDueSoon = () =>
    database().query(
      `UPDATE endpoint_schedule SET active = true, next_check_at = now() + interval '1.5 seconds' WHERE endpoint_id = $1`,
      [uuid(id)],
    );
  /** Returns whether an instance that knows the type gets one of its slots. */
  const claimedByLater = async (): Promise<boolean> => {
    const { orgId } = app;
    const { slots } = await app.app.get(EndpointSchedule).claimOfOne(database(), LATER, 100, 0, { orgId });
    const others = slots.filter(({ endpointId }) => endpointId !== uuid(id));
    await app.app.get(EndpointSchedule).giveBack(database(), LATER, others);
    return others.length < slots.length;
  };

  it('is shown, and the others are checked after a start', async () => {
    expect((await app.read.get(`/endpoints/${id}`)).body).toMatchObject({ type: 'LATER', status: 'unknown' });
    const before = await checkedAt(known);
    await eventually('the other one is checked', async () => (await checkedAt(known)) !== before);
  });

  it('is left to an instance that knows it, with each of its slots', async () => {
    for (let slot = 0; slot < 4; slot++) {
      await isDueSoon();
      await eventually('the later instance has the slot', claimedByLater, 10_000);
    }
    expect(await checkedAt(id)).toBeNull();
  });
});
