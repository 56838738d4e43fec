import type { ConfigurationPlanView } from '../../src/configuration/plan/plan.dto';
import { Database } from '../../src/platform/database/database';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { Api } from '../../packages/testing/service/api';
import type { ServiceOrganization } from '../../packages/testing/service/start-service';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, ServiceProcess } from '../harness/processes/service-process';

const suite = findPostgres() === null ? describe.skip : describe;

/** The number of endpoints in each of the two websites. ENDPOINTS=1000 takes minutes. */
const ENDPOINTS = Number(process.env['ENDPOINTS'] ?? 150);

/** Returns a document that also changes each endpoint of the other document. */
const documentOf = (interval: number, websites: readonly string[]): object => ({
  version: 1,
  owner: 'shop-repo',
  contacts: [
    {
      key: 'chat',
      name: 'Chat',
      type: 'slack',
      config: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
    },
  ],
  websites: websites.map((key) => ({
    key,
    name: key,
    url: `https://${key}.example.com/`,
    endpoints: Array.from({ length: ENDPOINTS }, (_, at) => ({
      key: `page-${at}`,
      name: `Page ${at}`,
      type: 'HTTPS',
      url: `https://${key}.example.com/${at}`,
      interval,
      alerts: [{ key: 'chat', contact: 'chat' }],
    })),
  })),
});

suite('kill -9 in the middle of a large apply (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let survivor: TestApp;
  let victim: ServiceProcess | null = null;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    survivor = await startOwnApp({ databaseUrl: cluster.url, role: 'api' });
  }, 180_000);
  afterEach(() => victim?.kill());
  afterAll(async () => {
    await survivor.close();
    await cluster.remove();
  }, 60_000);

  /** Returns a digest of all rows for each table of the organization. */
  async function stored({ orgId }: ServiceOrganization): Promise<unknown[]> {
    const tables = ['contact', 'website', 'endpoint', 'endpoint_schedule', 'endpoint_state', 'alert', 'audit_log'];
    return Promise.all(
      tables.map((table) =>
        survivor.app
          .get(Database)
          .query(`SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${table} t WHERE org_id = $1`, [
            orgId,
          ]),
      ),
    );
  }
  const summaryOf = async ({ write }: ServiceOrganization, document: object) =>
    (await write.put<ConfigurationPlanView>('/configuration?prune=true', document)).body.summary;
  const points: FailpointName[] = ['apply.locked', 'apply.endpoints_made', 'apply.before_commit', 'apply.committed'];

  it.each(points)(
    'killed at %s: either none or all of it is stored, and it can be applied again',
    async (point) => {
      const org = await survivor.organization(point);
      await summaryOf(org, documentOf(60, ['shop', 'blog']));
      const next = documentOf(120, ['shop', 'docs']);
      const before = await stored(org);
      victim = await ServiceProcess.start(cluster.url, { ROLE: 'api', FAILPOINTS: `${point}=kill` });
      await expect(new Api(victim.url, org.write.key).put('/configuration?prune=true', next)).rejects.toThrow();
      await victim.killed();
      // PostgreSQL may need a moment to roll back the transaction of the killed process.
      await survivor.app
        .get(Database)
        .transaction((tx) => tx.query('LOCK TABLE website IN SHARE MODE'), { lockMs: 20_000 });
      const isCommitted = point === 'apply.committed';
      expect(JSON.stringify(await stored(org)) === JSON.stringify(before)).toBe(!isCommitted);
      const summary = await summaryOf(org, next);
      expect(summary.unchanged).toBe(isCommitted ? 2 * (2 * ENDPOINTS + 1) + 1 : ENDPOINTS + 2);
      expect(await summaryOf(org, next)).toMatchObject({ create: 0, update: 0, delete: 0 });
    },
    90_000,
  );
});
