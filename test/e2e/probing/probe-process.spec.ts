/** @lane slow */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { assigned, httpDefinition, PROBE_TOKEN, ScriptedServer } from '../../harness/probe/scripted-server';
import { buildService } from '../../harness/processes/service-process';
import { StartFolder, type StartProcess } from '../../harness/processes/start-process';

jest.setTimeout(180_000);

/**
 * Modules that only a service needs: a database, routes, their documents and rules. Every process has the flags of
 * the engine.
 */
const OF_SERVICES =
  /[\\/]node_modules[\\/](typeorm|pg|@electric-sql|@nestjs[\\/](swagger|typeorm|platform-express)|express|helmet|class-validator|class-transformer|nodemailer|openid-client)[\\/]|[\\/]dist[\\/](platform[\\/]database[\\/](?!embedded[\\/]engine-flags\.cjs$)|identity|endpoint|alert|history|app\.)/;

describe('a process with ROLE=probe', () => {
  let server: ScriptedServer;
  let target: HttpTarget;
  let folder: StartFolder;
  beforeAll(() => buildService());
  beforeEach(async () => {
    server = await ScriptedServer.listen();
    target = await HttpTarget.listen(always(rawResponse(200)));
    folder = new StartFolder();
  });
  afterEach(async () => {
    await folder.remove();
    await server.close();
    await target.close();
  });

  const launch = (env: Record<string, string> = {}, preload?: string): StartProcess =>
    folder.launch({
      env: { ROLE: 'probe', PROBE_URL: server.url, PROBE_TOKEN, ...env },
      ...(preload === undefined ? {} : { preload }),
    });
  const runs = async (probe: StartProcess): Promise<string> => {
    await eventually('it runs', () => probe.said.includes('Probe is running') || probe.hasEnded, 60_000);
    const [, url] = /running at (\S+)/.exec(probe.said) ?? [];
    if (url === undefined) throw new Error(`the probe did not start:\n${probe.said}`);
    return url;
  };
  const has = (count: number) => eventually(`${count} results`, () => server.recorded.length >= count, 60_000);
  const endpoints = (count: number, interval: number) =>
    Array.from({ length: count }, (_, i) =>
      assigned(`ep_${i}`, httpDefinition(target.url(`/${i}`)), {
        interval,
        phase_ms: Math.floor((i * interval * 50) / count) * 20,
      }),
    );

  it('loads no modules of the database, the routes, and the documents, from the files and from the bundle', async () => {
    server.assign(...endpoints(1, 1));
    const watched = launch({}, join(__dirname, '../../harness/processes/modules-on-signal.cjs'));
    await runs(watched);
    await has(1);
    watched.signal('SIGUSR2');
    const [, list = ''] = await eventually('it tells', () => /^required (.*)$/m.exec(watched.said));
    const files = JSON.parse(list) as string[];
    expect(files.length).toBeGreaterThan(200);
    expect(files.filter((file) => OF_SERVICES.test(file))).toEqual([]);
    const bundled = launch();
    await runs(bundled);
    const open = readdirSync(`/proc/${bundled.pid}/fd`).map((name) => readlinkSync(`/proc/${bundled.pid}/fd/${name}`));
    expect(open.some((file) => file.endsWith('dist/bundle/modules.bin'))).toBe(true);
  });

  it('serves its health and its metrics, and nothing else', async () => {
    server.assign(...endpoints(1, 1));
    const url = await runs(launch());
    await has(1);
    const ready = await fetch(`${url}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: 'ok', details: { service: { ok: true } } },
    ]);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const line of [
      'uptime_endpoints_assigned 1',
      'uptime_results_lost_total 0',
      'uptime_checks_total{outcome="up"}',
    ])
      expect(metrics).toContain(line);
    expect(metrics).not.toContain(PROBE_TOKEN);
    expect((await fetch(`${url}/api/v1/endpoints`)).status).toBe(404);
  });

  it('resumes with the next slots after it was killed and started again: no burst, nothing early, none twice (Grafana agent #1605)', async () => {
    server.assign(...endpoints(10, 2));
    const first = launch();
    await has(15);
    first.signal('SIGKILL');
    await first.ended();
    const before = server.recorded.length;
    const restartedAt = Date.now();
    await runs(launch());
    await has(before + 20);
    const after = server.recorded.slice(before);
    for (const { slot, checked_at } of after) {
      expect(slot).toBeGreaterThan(restartedAt);
      expect(checked_at).toBeGreaterThanOrEqual(slot ?? NaN);
    }
    const late = after.map(({ slot, checked_at }) => checked_at - (slot ?? NaN)).sort((a, b) => a - b);
    expect(late[Math.floor(late.length / 2)]).toBeLessThan(50);
    expect(server.duplicates).toBe(0);
  });

  it('exits within 25 s of SIGTERM with code 0, and has sent its results', async () => {
    server.assign(...endpoints(20, 1));
    const probe = launch();
    await has(60);
    const seenBefore = target.seen.length;
    probe.signal('SIGTERM');
    expect(await probe.ended()).toBe(0);
    expect(target.seen.length - seenBefore).toBeLessThan(60);
    expect(server.recorded).toHaveLength(target.seen.length);
  });

  it('lists all errors in its settings, and names settings that have no effect', async () => {
    const wrong = launch({
      PROBE_URL: 'http://uptime.example.com',
      PROBE_TOKEN: 'no-token',
      PORT: 'x',
      PROBE_CA: '/nowhere',
    });
    expect(await wrong.ended()).toBe(1);
    for (const name of ['PROBE_URL', 'PROBE_TOKEN', 'PORT', 'PROBE_CA']) expect(wrong.said).toContain(`  - ${name}`);
    expect(wrong.said).not.toContain('no-token');
    const vain = launch({ DATABASE_URL: 'postgres://u:p@h/d', DATA_DIR: '/data' });
    await runs(vain);
    expect(vain.said).toContain('DATABASE_URL has no effect with ROLE=probe');
    expect(vain.said).not.toContain('DATA_DIR has no effect');
  });

  it('is ready within 2 s, and small, with 1,000 endpoints', async () => {
    server.assign(...endpoints(1000, 10));
    const began = performance.now();
    const probe = launch();
    const url = await runs(probe);
    await eventually('it is ready', async () => (await fetch(`${url}/health/ready`)).ok && server.polls.length > 2);
    const readyMs = performance.now() - began;
    await has(2000);
    const [, kib = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${probe.pid}/status`, 'utf8')) ?? [];
    process.stderr.write(
      `a probe with 1,000 endpoints: ready in ${Math.round(readyMs)} ms, ${Math.round(Number(kib) / 1024)} MiB\n`,
    );
    // Next to other programs a start takes longer, so the documented time is measured alone.
    expect(readyMs).toBeLessThan(10_000);
    expect(Number(kib) / 1024).toBeLessThan(140);
  });
});
