/** @lane slow */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DataSource } from 'typeorm';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { eventually } from '../../../packages/testing/eventually';
import { newWebsite } from '../../harness/app/resources';

const MIB = 1024 * 1024;
const HELD_AT_MOST = 16 * MIB;
/**
 * A page is a megabyte, so this is more than the system buffers for each connection. A single connection is below the
 * limit, so some are still held after the service has reset enough of them. If each were above it, the service could
 * reset all of them between two samples of a busy machine.
 */
const [CONNECTIONS, PAGES_EACH] = [12, 10];

describe('responses that the client does not read', () => {
  let app: TestApp;
  let greedy: ServiceOrganization;
  let path: string;
  const clients: Socket[] = [];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    greedy = await app.organization('Greedy');
    const website = await newWebsite(greedy.write);
    path = `/api/v1/websites/${website}/endpoints`;
    const database = app.app.get(DataSource);
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type, body)
       SELECT gen_random_uuid(), org_id, id, 'n' || n, 'http://large.example/' || n, 'HTTP', repeat('x', 30000)
         FROM website, generate_series(1, 40) AS n WHERE id = $1`,
      [parseId('website', website)],
    );
    await database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id)
       SELECT id, key, org_id FROM endpoint ON CONFLICT DO NOTHING`,
    );
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await app.close();
  });

  async function askWithoutReading(): Promise<void> {
    const client = connect(Number(new URL(app.url).port), '127.0.0.1').pause();
    clients.push(client);
    client.on('error', () => {});
    await once(client, 'connect');
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.write.key ?? ''}\r\n\r\n`;
    client.write(request.repeat(PAGES_EACH));
  }
  /** Repeats the scrape if a busy service refuses it. */
  const value = (metric: string): Promise<number> =>
    eventually(metric, async () => {
      const response = await fetch(`${app.url}/metrics`);
      const line = (await response.text()).split('\n').find((one) => one.startsWith(`${metric} `));
      return response.ok && Number(line?.split(' ')[1] ?? 0);
    });

  it('use a bounded amount of memory: the connection that has waited longest is reset, and others are served', async () => {
    for (let n = 0; n < CONNECTIONS; n++) await askWithoutReading();
    const seen: number[] = [];
    await eventually(
      'a connection is reset',
      async () => {
        seen.push(await value('uptime_responses_unread_bytes'));
        // A busy service has refused nearly all of them.
        if ((await value('uptime_requests_in_flight')) < CONNECTIONS) await askWithoutReading();
        return (await value('uptime_connections_closed_total{reason="unread"}')) > 0;
      },
      60_000,
    );
    await eventually(
      'the requests are answered or gone',
      async () => {
        seen.push(await value('uptime_responses_unread_bytes'));
        return (await app.read.get('/websites')).status === 200;
      },
      60_000,
    );
    expect(Math.max(...seen)).toBeGreaterThan(MIB);
    expect(Math.max(...seen)).toBeLessThanOrEqual(HELD_AT_MOST);
  }, 120_000);

  it('are forgotten once their connections are closed', async () => {
    for (const client of clients.splice(0)) client.destroy();
    await eventually('nothing is held', async () => (await value('uptime_responses_unread_bytes')) === 0, 60_000);
  });
});
