/** @databases both */
import { randomUUID } from 'node:crypto';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { Api } from '../../../packages/testing/service/api';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { startApp, type TestApp } from '../../harness/app/app';

interface Addresses {
  ping_id: string;
  push_token: string;
}
interface Job extends Addresses {
  id: string;
}
type Address = keyof Addresses;
const ADDRESSES: [Address][] = [['ping_id'], ['push_token']];

describe('the URL of a heartbeat', () => {
  let app: TestApp;
  let other: Api;
  let [website, theirs] = ['', ''];
  beforeAll(async () => {
    app = await startApp();
    other = (await app.organization('Other')).write;
    [website, theirs] = [await newWebsite(app.write), await newWebsite(other)];
  });
  afterAll(() => app.close());

  const heartbeatOf = async (by: Api, id: string): Promise<Job> => ({
    id,
    ...(await by.get<{ heartbeat: Addresses }>(`/endpoints/${id}`)).body.heartbeat,
  });
  const fields = (more: object = {}) => ({ name: 'Job', type: 'HEARTBEAT', heartbeat: { every: 86_400, ...more } });
  const make = async (by: Api = app.write, at = website): Promise<Job> =>
    heartbeatOf(by, await newEndpoint(by, at, { url: undefined, ...fields() }));
  const take = (by: Api, at: string, more: object) =>
    by.post<{ code: string }>(`/websites/${at}/endpoints`, fields(more));
  const rotate = async (by: Api, { id }: Job): Promise<Job> => {
    expect((await by.post(`/endpoints/${id}/heartbeat/rotate`)).status).toBe(200);
    return heartbeatOf(by, id);
  };
  const pathOf = (address: Address, { [address]: value }: Addresses) =>
    address === 'ping_id' ? `/ping/${value}` : `/api/push/${value}`;
  const ping = async (path: string) => (await fetch(app.url + path, { method: 'POST', body: 'output' })).status;
  const pings = async (by: Api, { id }: Job) => (await by.get<unknown[]>(`/endpoints/${id}/pings`)).body.length;
  const expire = ({ id }: Job) =>
    app.app
      .get(Database)
      .query(`UPDATE heartbeat SET old_until = now() - interval '1 second' WHERE endpoint_id = $1`, [
        parseId('endpoint', id),
      ]);

  it.each(ADDRESSES)(
    'cannot be used for a new heartbeat or a change while it is replaced but still works (%s)',
    async (address) => {
      const job = await make();
      await rotate(app.write, job);
      const wanted = { [address]: job[address] };
      expect(await take(other, theirs, wanted)).toMatchObject({ status: 409, body: { code: 'conflict' } });
      const own = await make(other, theirs);
      const changed = await other.put(`/endpoints/${own.id}`, fields(wanted));
      expect(changed.status).toBe(409);
      expect(await heartbeatOf(other, own.id)).toEqual(own);
    },
  );

  it.each(ADDRESSES)('only reaches its own heartbeat after it was replaced (%s)', async (address) => {
    const job = await make();
    await rotate(app.write, job);
    await take(other, theirs, { [address]: job[address] });
    for (let n = 0; n < 5; n++) expect(await ping(pathOf(address, job))).toBe(200);
    expect(await pings(app.write, job)).toBe(5);
  });

  it.each(ADDRESSES)(
    'is free a day after its rotation (%s), and pings go to the heartbeat that took it then',
    async (address) => {
      const job = await make();
      await rotate(app.write, job);
      await expire(job);
      const wanted = { [address]: job[address] };
      const { status, body } = await other.post<{ id: string }>(`/websites/${theirs}/endpoints`, fields(wanted));
      expect(status).toBe(201);
      expect(await ping(pathOf(address, job))).toBe(200);
      expect([await pings(app.write, job), await pings(other, await heartbeatOf(other, body.id))]).toEqual([0, 1]);
    },
  );

  it('may be taken back by its own heartbeat, and is kept when other settings change', async () => {
    const job = await make();
    const rotated = await rotate(app.write, job);
    const { ping_id, push_token } = job;
    expect((await app.write.put(`/endpoints/${job.id}`, fields({ ping_id, push_token }))).status).toBe(200);
    expect(await ping(pathOf('ping_id', job))).toBe(200);
    expect((await take(other, theirs, { ping_id })).status).toBe(409);
    expect(await ping(pathOf('ping_id', rotated))).toBe(404);
    expect((await take(other, theirs, { ping_id: rotated.ping_id })).status).toBe(201);
  });

  it('goes to one of many heartbeats that want it at the same moment, and to none while it is replaced but still works', async () => {
    const job = await make();
    const free = { ping_id: randomUUID() };
    const rotating = rotate(app.write, job);
    const wanted = { ping_id: job.ping_id };
    const [takers, late] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => take(other, theirs, free))),
      Promise.all(Array.from({ length: 6 }, () => take(other, theirs, wanted))),
      rotating,
    ]);
    expect(takers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(5).fill(409)]);
    expect(late.map(({ status }) => status)).toEqual(Array(6).fill(409));
  });
});
