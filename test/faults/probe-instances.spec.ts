import { ProbeTokens } from '../../src/platform/access/probe-tokens';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';

const suite = findPostgres() === null ? describe.skip : describe;

suite('two instances on one database (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let instances: [TestApp, TestApp];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    const start = () => startOwnApp({ databaseUrl: cluster.url, role: 'api' });
    instances = [await start(), await start()];
  }, 120_000);
  afterAll(async () => {
    for (const { app } of instances) await app.close();
    await cluster.remove();
  }, 60_000);

  const takes = async (token: string): Promise<boolean[]> => {
    const held = instances.map(({ app }) => app.get(ProbeTokens).holderOf(token, () => {}));
    return (await Promise.all(held)).map((holder) => holder?.isEnabled === true);
  };

  it('know at once what one of them has created, rotated, disabled, and deleted', async () => {
    const [{ admin }] = instances;
    const { id, token } = (await admin.post<{ id: string; token: string }>('/probes', { key: 'fra' })).body;
    expect(await takes(token)).toEqual([true, true]);
    const rotated = (await admin.post<{ token: string }>(`/probes/${id}/rotate`, {})).body;
    expect([await takes(token), await takes(rotated.token), await takes(token)]).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    await admin.put(`/probes/${id}`, { enabled: false });
    expect(await takes(rotated.token)).toEqual([false, false]);
    await admin.put(`/probes/${id}`, { enabled: true });
    expect(await takes(rotated.token)).toEqual([true, true]);
    await admin.delete(`/probes/${id}`);
    expect(await takes(rotated.token)).toEqual([false, false]);
  });
});
