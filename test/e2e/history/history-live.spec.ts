import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { CheckView } from '../../../src/history/read/check.dto';
import type { LatencyBucketView } from '../../../src/history/read/latency.dto';
import type { OverviewItemView } from '../../../src/history/overview/overview.dto';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import { startApp, type TestApp } from '../../harness/app/app';

describe('the history of real checks', () => {
  let testApp: TestApp;
  let target: Server;
  let id: string;
  let port: number;

  beforeAll(async () => {
    testApp = await startApp({ role: 'api' });
    target = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const address = target.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    const site = await testApp.write.post<{ id: string }>('/websites', { name: 'Shop', url: 'http://127.0.0.1' });
    const endpoint = await testApp.write.post<{ id: string }>(`/websites/${site.body.id}/endpoints`, {
      name: 'Port',
      url: `tcp://127.0.0.1:${port}`,
      type: 'TCP',
    });
    id = endpoint.body.id;
  });
  afterAll(async () => {
    await testApp.close();
    target.close();
  });

  it('shows the same outcome, outage and latency in checks, uptime, latency and overview', async () => {
    const ran: CheckView[] = [];
    const run = async () => ran.unshift((await testApp.write.post<CheckView>(`/endpoints/${id}/checks`)).body);
    for (let round = 0; round < 3; round++) await run();
    target.close();
    await once(target, 'close');
    await run();
    expect(ran.map((check) => check.outcome)).toEqual(['down', 'up', 'up', 'up']);

    const { read } = testApp;
    expect((await read.get<CheckView[]>(`/endpoints/${id}/checks`)).body).toEqual(ran);

    const uptime = (await read.get<UptimeView>(`/endpoints/${id}/uptime`)).body;
    expect(uptime).toMatchObject({ uptime: 0.75, coverage: 1, checks: 4, failures: 1, unknown: 0, outage_count: 1 });
    expect(uptime.outages[0]).toMatchObject({
      started_at: ran[0]?.checked_at,
      ended_at: null,
      error: { code: 'connection_refused', message: ran[0]?.error?.message },
    });
    const latencies = ran.filter((check) => check.outcome === 'up').map((check) => check.duration_ms ?? NaN);
    expect(uptime.latency.max).toBe(Math.max(...latencies));

    const buckets = (await read.get<LatencyBucketView[]>(`/endpoints/${id}/latency`)).body;
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(4);

    const [item] = (await read.get<OverviewItemView[]>('/overview')).body;
    expect(item).toMatchObject({
      id,
      status: 'down',
      last_error: 'connection_refused',
      last_checked_at: ran[0]?.checked_at,
      uptime_24h: 0.75,
      recent: ['up', 'up', 'up', 'down'],
      p95_ms: Math.max(...latencies),
    });
  });
});
