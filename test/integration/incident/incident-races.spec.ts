/**
 * @lane slow
 * @databases both
 */
import { lockIncidents } from '../../../src/incident/incident-queries';
import { removeMembers } from '../../../src/incident/incident-retention';
import { Database, WorkerDatabase } from '../../../src/platform/database/database';
import { WebsitePurge } from '../../../src/website/website-events';
import { Alerting } from '../../harness/app/alerting';
import { freshDatabase, type TestDatabase } from '../../harness/database/database';
import { IncidentTables } from '../../harness/app/incident-tables';
import { collectQueries } from '../../harness/app/query-counter';
import { checkInvariants } from '../../harness/app/invariants';

const RULE = { failureThreshold: 1, successThreshold: 1 };
/** The number of websites, and of endpoints in each. `WEBSITES_FAILING=100` is the full size. */
const WEBSITES = Number(process.env['WEBSITES_FAILING'] ?? 20);
/** The maximum number of endpoints in one transaction of the recorder. */
const BATCH = 500;
// Forty rounds of several parallel transactions on a busy machine.
jest.setTimeout(120_000 + WEBSITES ** 2 * 30);

describe('incidents that several transactions change at once', () => {
  let database: TestDatabase;
  let first: Alerting;
  let second: Alerting;
  let third: Alerting;
  let tables: IncidentTables;
  let orgId: string;

  beforeAll(async () => {
    database = await freshDatabase();
    first = await Alerting.start({ databaseUrl: database.url });
    // The embedded database has one process.
    const another = () =>
      database.url.startsWith('embedded:') ? Alerting.of(first.nest) : Alerting.start({ databaseUrl: database.url });
    [second, third] = [await another(), await another()];
    tables = new IncidentTables(first.database);
  });
  beforeEach(async () => {
    orgId = await first.organization();
  });
  afterEach(async () => {
    await tables.expectConsistent();
    await checkInvariants(first.database);
  });
  afterAll(async () => {
    if (!database.url.startsWith('embedded:')) for (const one of [second, third]) await one.close();
    await first.close();
    await database.drop();
  });

  const endpoints = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const id = await first.endpoint(orgId, `Endpoint ${i}`);
      await first.alert(orgId, id, RULE);
      ids.push(id);
    }
    return ids;
  };
  const report = (instance: Alerting, ids: readonly string[], result: 'F' | 'S') =>
    instance.check(ids.map((endpointId) => ({ endpointId, result })));
  const websiteOf = async (id: string): Promise<string> =>
    (await first.database.query<{ id: string }>('SELECT website_id AS id FROM endpoint WHERE id = $1', [id]))[0]?.id ??
    '';
  /**
   * Returns the number of deadlocks that the server had to break. The service repeats its transactions, which hides
   * them.
   */
  const deadlocks = async (): Promise<number> => {
    const [row] = await first.database.query<{ count: number }>(
      'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return row?.count ?? 0;
  };

  it('three instances with 40 endpoints each at the same moment create one incident for each address, and no number is missing', async () => {
    for (const addresses of [1, 1, 10]) {
      orgId = await first.organization();
      const ids = await endpoints(120);
      const all = (result: 'F' | 'S') =>
        Promise.all(
          [first, second, third].map((instance, at) =>
            instance.check(
              ids.slice(40 * at, 40 * (at + 1)).map((endpointId, n) => {
                return { endpointId, result, address: `192.0.2.${n % addresses}` };
              }),
            ),
          ),
        );
      await all('F');
      const each = { cause: 'address', endpointCount: 120 / addresses, openCount: 120 / addresses };
      expect(await tables.incidents(orgId)).toMatchObject(
        Array.from({ length: addresses }, (_, n) => ({ ...each, number: n + 1 })),
      );
      await all('S');
      const ended = (await tables.incidents(orgId)).filter(({ endedAt, openCount }) => endedAt && openCount === 0);
      expect(ended).toHaveLength(addresses);
    }
  });

  it(`${WEBSITES ** 2} endpoints of ${WEBSITES} websites that fail at once are as many incidents as websites, with four statements a batch`, async () => {
    const [one = ''] = await endpoints(1);
    const { database } = first;
    const sites = await database.query<{ id: string }>(
      `INSERT INTO website (id, org_id, name, url)
       SELECT gen_random_uuid(), $1, 'Shop', 'https://shop.test' FROM generate_series(1, $2::int) RETURNING id`,
      [orgId, WEBSITES],
    );
    const many = await database.query<{ id: string; websiteId: string }>(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), $1, w.id, 'E', 'https://shop.test', 'HTTPS'
         FROM generate_series(1, $3::int) n, unnest($2::uuid[]) w (id) ORDER BY n RETURNING id, website_id AS "websiteId"`,
      [orgId, sites.map(({ id }) => id), WEBSITES],
    );
    await database.query(
      `WITH s AS (INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE org_id = $1 AND id <> $2)
       INSERT INTO alert (id, org_id, endpoint_id, type, config, failure_threshold, success_threshold, send_on_resolved)
       SELECT gen_random_uuid(), $1, e.id, a.type, a.config, 1, 1, true FROM endpoint e, alert a WHERE e.org_id = $1 AND e.id <> $2 AND a.endpoint_id = $2`,
      [orgId, one],
    );
    const queries = collectQueries(first.nest.get(WorkerDatabase).dataSource);
    for (let from = 0; from < many.length; from += BATCH) {
      queries.length = 0;
      await first.check(
        many.slice(from, from + BATCH).map(({ id, websiteId }) => {
          const place = sites.findIndex((site) => site.id === websiteId);
          return { endpointId: id, result: 'F' as const, address: `192.0.2.${place}` };
        }),
      );
      expect(
        queries.filter(([sql]) => /\bincident(_sequence|_member)?\b/.test(sql) && !/"held"/.test(sql)),
      ).toHaveLength(4);
    }
    const each = { endpointCount: WEBSITES, openCount: WEBSITES };
    expect(await tables.incidents(orgId)).toMatchObject(sites.map((_, n) => ({ ...each, number: n + 1 })));
  });

  it('the last two members leave at the same moment: it ends once, with one update', async () => {
    for (let round = 1; round <= 5; round++) {
      orgId = await first.organization();
      const [one = '', two = ''] = await endpoints(2);
      await report(first, [one, two], 'F');
      await first.database.query(`UPDATE incident SET status = 'identified' WHERE org_id = $1`, [orgId]);
      await Promise.all([report(first, [one], 'S'), report(second, [two], 'S')]);
      expect(await tables.incidents(orgId)).toMatchObject([{ openCount: 0, status: 'resolved' }]);
      expect(await tables.updates(orgId)).toHaveLength(1);
    }
  });

  it('two recorders, an edit, a purge and an acknowledgement at once never deadlock, and numbers have no gaps', async () => {
    const before = await deadlocks();
    const orgIds = [orgId, await first.organization()].sort();
    const all: string[][] = [];
    for (const id of orgIds) {
      orgId = id;
      all.push(await endpoints(8));
    }
    const ids = all.flat();
    const websites = await Promise.all(ids.map(websiteOf));
    const api = second.nest.get(Database);
    for (let round = 0; round < 40; round++) {
      const half = (offset: number) => ids.filter((_, i) => (i + round) % 2 === offset);
      const [organization = ''] = round % 2 === 0 ? orgIds : [...orgIds].reverse();
      await Promise.all([
        report(first, half(0), round % 3 === 0 ? 'S' : 'F'),
        report(second, [...half(1)].reverse(), round % 4 === 0 ? 'S' : 'F'),
        api.transaction((tx) => tx.query(`UPDATE incident SET title = 'Edited' WHERE org_id = $1`, [organization])),
        api.transaction(async (tx) => {
          await lockIncidents(tx, [organization]);
          await tx.query(
            `UPDATE incident SET ack_at = now(), ack_by = 'On call' WHERE org_id = $1 AND ended_at IS NULL`,
            [organization],
          );
        }),
        first.nest
          .get(WorkerDatabase)
          .transaction((tx) => removeMembers(tx, new WebsitePurge(organization, websites[round % ids.length] ?? ''))),
        tables.stop(first, organization, [ids[round % ids.length] ?? ''], 'disabled'),
      ]);
    }
    for (const id of orgIds) {
      const numbers = (await tables.incidents(id)).map(({ number }) => number);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    }
    expect(await deadlocks()).toBe(before);
  });
});
