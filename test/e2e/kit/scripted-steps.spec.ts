/** @lane slow */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../src/platform/config/config';
import { startScriptedProbe } from '../../../packages/testing/probe/scripted-probe';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';
import { type Service, startService } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

describe('a service of the test kit', () => {
  let service: Service;
  let provider: FakeProvider;
  beforeAll(async () => {
    [service, provider] = await Promise.all([startService({ checks: 'on demand' }), FakeProvider.start()]);
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  it('fails exactly as often as the script says, one step at a time, and triggers at the third failure', async () => {
    provider.standingResponse({ status: 204 });
    const target = service.target('checkout').next('down', { down: 'It is gone.', code: 'host_unreachable' }, 'down');
    const fields = { type: 'SCRIPTED', url: target.url };
    const endpoint = await newEndpoint(service.write, await newWebsite(service.write), fields);
    const config = { url: provider.url };
    const alert = { endpoint_id: endpoint, type: 'webhook', failure_threshold: 3, success_threshold: 1, config };
    expect((await service.write.post('/alerts', alert)).status).toBe(201);
    const check = () => service.write.post<{ outcome: string }>(`/endpoints/${endpoint}/checks`);

    const outcomes = [(await check()).body.outcome, (await check()).body.outcome];
    await service.advance('1 s');
    expect({ outcomes, told: provider.requests.length }).toEqual({ outcomes: ['down', 'down'], told: 0 });
    expect((await check()).body.outcome).toBe('down');
    await service.advance('1 s');
    expect(provider.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'alert.triggered',
    ]);
    expect((await check()).body.outcome).toBe('up');
    await service.advance('1 s');
    expect(provider.requests).toHaveLength(2);
    expect(target.checks).toBe(4);
  });

  it('runs each check once, also when the clock was moved or the process was blocked during it', async () => {
    const target = service.target('steady').always('down');
    const endpoint = await newEndpoint(service.write, await newWebsite(service.write), {
      type: 'SCRIPTED',
      url: target.url,
    });
    for (let step = 1; step <= 5; step++) {
      await service.advance('1 min');
      const checked = service.write.post<{ outcome: string; attempts: number }>(`/endpoints/${endpoint}/checks`);
      // Longer than 250 ms, which the service counts as a stall.
      const until = performance.now() + 300;
      while (performance.now() < until);
      expect((await checked).body).toMatchObject({ outcome: 'down', attempts: 1 });
      expect(target.checks).toBe(step);
    }
  });

  it('runs no scheduled check when checks are on demand', async () => {
    const target = service.target('idle');
    await newEndpoint(service.write, await newWebsite(service.write), {
      type: 'SCRIPTED',
      url: target.url,
      interval: 1,
    });
    await service.advance('10 min');
    expect(target.checks).toBe(0);
  });

  it('has probes that report the scripted results, one check each, and that are online after any jump of the clock', async () => {
    const [fra, tokyo] = [
      await startScriptedProbe(service, { key: 'fra' }),
      await startScriptedProbe(service, { key: 'tokyo', name: 'Tokyo' }),
    ];
    const endpoint = await newEndpoint(service.write, await newWebsite(service.write), {
      type: 'SCRIPTED',
      url: service.target('seen-from-three').url,
      locations: ['local', 'fra', 'tokyo'],
    });
    const checkAt = async (location: string) =>
      (await service.write.post(`/endpoints/${endpoint}/checks?location=${location}`)).body;
    const status = async () => (await service.read.get<{ status: string }>(`/endpoints/${endpoint}`)).body.status;

    expect(await checkAt('local')).toMatchObject({ outcome: 'up', location: 'local' });
    expect(await checkAt('tokyo')).toMatchObject({ outcome: 'up', location: 'tokyo' });
    fra.next('up', 'down');
    tokyo.next({ down: 'It is gone.', code: 'host_unreachable' });
    expect(await checkAt('fra')).toMatchObject({ outcome: 'up', location: 'fra' });
    expect(await checkAt('fra')).toMatchObject({ outcome: 'down', combined_outcome: 'up' });
    expect(await checkAt('tokyo')).toMatchObject({ error: { code: 'host_unreachable' }, combined_outcome: 'down' });
    expect([fra.checks, tokyo.checks, await status()]).toEqual([2, 2, 'down']);

    await service.advance('10 min');
    await fra.sync();
    expect(await checkAt('fra')).toMatchObject({ outcome: 'up', location: 'fra' });
    await Promise.all([fra.stop(), tokyo.stop()]);
  });

  it('refuses to restart a service in memory, and explains what to do', async () => {
    await expect(service.restart()).rejects.toThrow("start it with database: 'temporary'");
  });

  it('leaves its database to the next service if it could not start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'uptime-kit-'));
    const config: Partial<Config> = { databaseUrl: null, dataDir, role: 'api' };
    await expect(startService({ config: { ...config, quotaApiKeys: 2 } })).rejects.toThrow('at most 2 API keys');
    await (await startService({ config })).close();
    await rm(dataDir, { recursive: true });
  });

  it('keeps its data over a restart if its database is temporary', async () => {
    const kept = await startService({ database: 'temporary', config: { role: 'api' } });
    const website = await newWebsite(kept.write);
    await kept.stop();
    await kept.restart();
    expect((await kept.read.get(`/websites/${website}`)).status).toBe(200);
    await kept.close();
  });
});
