/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { ProblemView } from '../../../src/platform/problem/problem.view';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { recorded } from '../../harness/app/history';
import { readPrometheusText, type ScrapedSample } from '../../harness/app/prometheus-text';
import { collectQueries } from '../../harness/app/query-counter';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

const NAME = 'Check "out" \\ \n{a="b"} 💳';
const EXPIRES = '2027-02-01T00:00:00.000Z';

describe('the metrics of an organization', () => {
  let app: TestApp;
  let database: Database;
  let own: ServiceOrganization;
  let website: string;
  let organizations = 0;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    own = await app.organization(`Own ${++organizations}`);
    website = await newWebsite(own.write);
  });

  const scrape = async (by: Api = own.read): Promise<ScrapedSample[]> =>
    readPrometheusText((await by.get('/metrics')).text);
  const brief = (samples: readonly ScrapedSample[]): string[] =>
    samples.map(({ name, labels: { phase }, value }) =>
      [name.replace('uptime_endpoint_', ''), ...(phase === undefined ? [] : [phase]), value].join(' '),
    );
  const uuidOf = (endpoint: string): string => parseId('endpoint', endpoint) ?? '';
  const ONLY_ALERT = ['alert_triggered 0'];

  /** Records a check that took 100 ms, as the monitor does. */
  async function record(endpoint: string, secondsAgo: number, outcome: 'up' | 'down'): Promise<void> {
    const definition = await app.app.get(CheckDefinitions).loadOne(database, uuidOf(endpoint));
    if (!definition) throw new Error('there is no such endpoint');
    const at = new Date(Date.now() - secondsAgo * 1000);
    const certificate = { expiresAt: EXPIRES, issuer: 'CN=CA', subject: 'CN=shop', names: ['shop.example.com'] };
    const check = recorded({ id: uuidOf(endpoint), key: definition.endpointKey }, at, outcome, 100, { certificate });
    const recorder = newRecorder(app);
    const done = recorder.record({ ...check, orgId: own.orgId, revision: definition.revision, slotMs: at.getTime() });
    await recorder.drain(10_000);
    await done;
  }

  it("show the result of an endpoint's newest check, with its labels", async () => {
    await own.write.put(`/websites/${website}`, { tags: ['prod'] });
    const endpoint = await newEndpoint(own.write, website, { name: 'Checkout', key: 'checkout', tags: ['web'] });
    const PHASES = ['dns 0.025', 'connect 0.025', 'first_byte 0.05', 'transfer 0'];
    const expected = (up: number) => [
      `up ${up}`,
      'degraded 0',
      ...PHASES.map((phase) => `duration_seconds ${phase}`),
      `certificate_expiry_timestamp_seconds ${Date.parse(EXPIRES) / 1000}`,
      ...ONLY_ALERT,
    ];
    await record(endpoint, 30, 'down');
    expect(brief(await scrape())).toEqual(expected(0));
    await record(endpoint, 20, 'up');
    await database.query('UPDATE endpoint_state SET last_dns_us = NULL WHERE endpoint_id = $1', [uuidOf(endpoint)]);
    // The second success in a row takes another path.
    await record(endpoint, 10, 'up');
    const samples = await scrape();
    expect(brief(samples)).toEqual(expected(1));
    const labels = {
      id: endpoint,
      key: 'checkout',
      name: 'Checkout',
      website: 'Shop',
      type: 'HTTPS',
      tags: ',prod,web,',
    };
    for (const {
      labels: { phase: _, ...others },
    } of samples)
      expect(others).toEqual(labels);
  });

  it('contain a name with special characters unchanged', async () => {
    const endpoint = await newEndpoint(own.write, website);
    await database.query('UPDATE endpoint SET name = $2 WHERE id = $1', [uuidOf(endpoint), NAME]);
    expect((await scrape()).map(({ labels }) => labels['name'])).toEqual([NAME]);
  });

  it('do not show whether an endpoint is up that was never checked or is paused, and nothing of a deleted one', async () => {
    const endpoint = await newEndpoint(own.write, website);
    expect(brief(await scrape())).toEqual(ONLY_ALERT);
    await database.query('UPDATE endpoint_state SET status = 1 WHERE endpoint_id = $1', [uuidOf(endpoint)]);
    expect(brief(await scrape())).toEqual(['up 1', 'degraded 0', ...ONLY_ALERT]);
    await own.write.put(`/websites/${website}`, { enabled: false });
    expect(brief(await scrape())).toEqual(ONLY_ALERT);
    await own.write.delete(`/endpoints/${endpoint}`);
    expect(brief(await scrape())).toEqual([]);
  });

  it('show a triggered alert', async () => {
    const endpoint = await newEndpoint(own.write, website);
    await newAlert(own.write, endpoint);
    await database.query('UPDATE alert SET triggered = true WHERE endpoint_id = $1', [uuidOf(endpoint)]);
    expect(brief(await scrape())).toEqual(['alert_triggered 1']);
  });

  it('have the endpoints of one organization only, without the endpoints of a website that is being deleted', async () => {
    const kept = await newEndpoint(own.write, website);
    const gone = await newWebsite(own.write);
    await newEndpoint(own.write, gone);
    await database.query('UPDATE website SET deleted_at = now() WHERE id = $1', [parseId('website', gone)]);
    expect((await scrape()).map(({ labels }) => labels['id'])).toEqual([kept]);
    expect(await scrape((await app.organization('Other')).read)).toEqual([]);
  });

  it('are Prometheus text of version 0.0.4, gzipped for a client that accepts it', async () => {
    await newEndpoint(own.write, website);
    const ask = (encoding: string) =>
      fetch(`${app.url}/api/v1/metrics`, {
        headers: { authorization: `Bearer ${own.read.key ?? ''}`, 'accept-encoding': encoding },
      });
    for (const encoding of ['identity', 'gzip']) {
      const response = await ask(encoding);
      expect([response.status, response.headers.get('content-type'), response.headers.get('content-encoding')]).toEqual(
        [200, 'text/plain; version=0.0.4; charset=utf-8', encoding === 'gzip' ? 'gzip' : null],
      );
      expect(brief(readPrometheusText(await response.text()))).toEqual(ONLY_ALERT);
    }
  });

  it('refuse a parameter and a request without a key', async () => {
    const { status, body } = await own.read.get<ProblemView>('/metrics?tag=web');
    expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([400, 'invalid_query', '?tag']);
    expect((await app.anonymous.get('/metrics')).status).toBe(401);
  });

  it('of 20,000 endpoints take three statements, and every endpoint is in them once', async () => {
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), org_id, id, 'n' || n, 'http://many.example/', 'HTTP' FROM website, generate_series(1, 20000) n
        WHERE id = $1`,
      [parseId('website', website)],
    );
    await database.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id, status) SELECT id, key, org_id, 1 FROM endpoint WHERE org_id = $1',
      [own.orgId],
    );
    const queries = collectQueries(app.app.get(DataSource));
    const samples = await scrape();
    expect(samples).toHaveLength(3 * 20_000);
    expect(queries.filter(([sql]) => sql.includes('endpoint_overview'))).toHaveLength(3);
  });
});
