/** @lane slow */
import { Logger } from '@nestjs/common';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

/** Encrypted with a key that this process does not have, as after a rotation in the wrong order. */
const FOREIGN = JSON.stringify([{ key: 'Authorization', value: 'v1:next:AAAA', sealed: true }]);

describe('an endpoint whose stored settings cannot be read', () => {
  let app: TestApp;
  let target: HttpTarget;
  let database: Database;
  let website: string;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    [app, target] = await Promise.all([
      startOwnApp({ role: 'all', egressPrivate: 'allow' }),
      HttpTarget.listen(always(rawResponse(200, 'ok'))),
    ]);
    database = app.app.get(Database);
    website = await newWebsite(app.write);
  });
  afterAll(async () => {
    await app.close();
    await target.close();
    jest.restoreAllMocks();
  });
  afterEach(() => database.query('DELETE FROM endpoint'));

  const endpoint = (name: string) =>
    newEndpoint(app.write, website, { name, url: target.url(), type: 'HTTP', interval: 1, timeout: 1 });
  const uuid = (id: string) => parseId('endpoint', id) ?? '';
  const damage = (id: string, change: string, value: string) =>
    database.query(`UPDATE endpoint SET ${change} WHERE id = $1`, [uuid(id), value]);
  const newest = async (id: string) =>
    (
      await app.read.get<{ outcome: string; error: { code: string; message: string } | null }[]>(
        `/endpoints/${id}/checks`,
      )
    ).body[0];

  it.each([
    ['a header was encrypted with another key', 'headers = $2::jsonb', FOREIGN, /encrypted with key "next"/],
    ['its URL is now refused', 'url = $2', 'ftp://nowhere', /The settings cannot be read/],
    ['its headers are not a list', 'headers = $2::jsonb', '7', /the stored row is damaged/],
  ])('is unknown and reports it when %s, and the others of its claim are checked', async (_, change, value, reason) => {
    const [bad, good] = [await endpoint('Bad'), await endpoint('Good')];
    await damage(bad, change, value);
    await database.query('UPDATE endpoint_schedule SET revision = revision + 1');
    await database.query('UPDATE endpoint SET revision = revision + 1');
    await eventually('it is unknown', async () => {
      const check = await newest(bad);
      return check?.outcome === 'unknown' && check.error?.code === 'internal' && reason.test(check.error.message);
    });
    const ups = async () =>
      (await app.read.get<{ outcome: string }[]>(`/endpoints/${good}/checks`)).body.filter(
        ({ outcome }) => outcome === 'up',
      ).length;
    const before = await ups();
    await eventually('the other one is checked on', async () => (await ups()) > before + 1);
  });

  it('is listed with a mask for the value that cannot be decrypted, and keeps it when the mask is sent back', async () => {
    const id = await endpoint('Bad');
    await damage(id, 'headers = $2::jsonb', FOREIGN);
    const list = await app.write.get<{ headers: unknown }[]>(`/websites/${website}/endpoints`);
    const headers = [{ key: 'Authorization', value: '********' }];
    expect([list.status, list.body[0]?.headers]).toEqual([200, headers]);
    expect((await app.write.put(`/endpoints/${id}`, { name: 'Renamed', headers })).status).toBe(200);
    expect(await database.query('SELECT headers FROM endpoint')).toEqual([{ headers: JSON.parse(FOREIGN) as unknown }]);
  });

  it('is checked again without a restart when the row is repaired', async () => {
    const definitions = app.app.get(CheckDefinitions);
    const id = await endpoint('Bad');
    const load = async () =>
      (await definitions.load(database, [{ endpointId: uuid(id), revision: 7 }])).get(uuid(id))?.checker.constructor
        .name;
    await damage(id, 'headers = $2::jsonb', FOREIGN);
    expect(await load()).toBe('UnreadableSettings');
    await damage(id, 'headers = $2::jsonb', '[]');
    expect(await load()).toBe('HttpChecker');
  });
});

describe('the definitions in memory', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
  });
  afterAll(() => app.close());

  it('are limited by the bytes of their texts, and large ones evict no small one', async () => {
    const [definitions, database] = [app.app.get(CheckDefinitions), app.app.get(Database)];
    const website = await newWebsite(app.write);
    const small = parseId('endpoint', await newEndpoint(app.write, website)) ?? '';
    const websiteUuid = parseId('website', website);
    const ids = await database.query<{ id: string }>(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type, body)
       SELECT gen_random_uuid(), org_id, id, 'Large', 'http://a.test/', 'HTTP', repeat('x', 64000)
         FROM website, generate_series(1, 300) WHERE id = $1 RETURNING id`,
      [websiteUuid],
    );
    const wanted = (id: string) => [{ endpointId: id, revision: 1 }];
    const before = (await definitions.load(database, wanted(small))).get(small);
    for (const { id } of ids) await definitions.load(database, wanted(id));
    expect(definitions.textBytes).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(definitions.textBytes).toBeLessThan(300 * 64_000);
    expect((await definitions.load(database, wanted(small))).get(small)).toBe(before);
  });
});
