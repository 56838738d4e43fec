/** @lane slow */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Metrics } from '../../../src/platform/observability/metrics';
import { eventually } from '../../../packages/testing/eventually';
import { HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { freePort } from '../../harness/machine/free-port';

const FOLDER = join(__dirname, '../../../deploy/prometheus');
const DASHBOARD = join(__dirname, '../../../deploy/grafana/dashboard.json');
const RULES = join(FOLDER, 'alerts.yaml');
const TESTS = join(FOLDER, 'alerts_test.yaml');

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const skipped = isThere('prometheus') && isThere('promtool') ? '' : ' (skipped: prometheus is not installed)';
const suite = skipped === '' ? describe : describe.skip;

interface Sample {
  metric: Record<string, string>;
  value: [at: number, value: string];
}

suite(`the alert rules for Prometheus${skipped}`, () => {
  it('have a test each', () => {
    const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
    const { tests } = parse(readFileSync(TESTS, 'utf8')) as { tests: { alert_rule_test: { alertname: string }[] }[] };
    const played = new Set(tests.flatMap((test) => test.alert_rule_test.map(({ alertname }) => alertname)));
    expect(played).toEqual(new Set(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))));
  });

  it('fire at the first event, as their tests say', () => {
    expect(execFileSync('promtool', ['test', 'rules', TESTS], { encoding: 'utf8' })).toContain('SUCCESS');
  });
});

suite(`a Prometheus that scrapes the service${skipped}`, () => {
  let app: TestApp;
  let target: HttpTarget;
  let prometheus: ChildProcess;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), 'uptime-prometheus-'));

  const query = async (text: string): Promise<Sample[]> => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(text)}`);
    const { data, error } = (await response.json()) as { data?: { result: Sample[] }; error?: string };
    if (!data) throw new Error(`${text}: ${error}`);
    return data.result;
  };
  const alerts = async (): Promise<string[]> =>
    (await query('ALERTS')).map(({ metric }) => metric['alertname'] ?? '').sort();

  beforeAll(async () => {
    app = await startOwnApp();
    // The endpoint fails, and its webhook responds with 410, so the first message of this process is given up.
    target = await HttpTarget.listen(({ path }, socket) => socket.end(rawResponse(path === '/hook' ? 410 : 500)));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${RULES}]
scrape_configs:
  - job_name: uptime-monitor
    static_configs: [{ targets: ['${new URL(app.url).host}'] }]
`,
    );
    const words = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    prometheus = spawn('prometheus', [...words, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    await eventually(
      'some scrapes',
      async () => Number((await query('count_over_time(up[1m])').catch(() => []))[0]?.value[1] ?? 0) >= 3,
      60_000,
    );
  });
  afterAll(async () => {
    if (prometheus.exitCode === null) {
      prometheus.kill('SIGTERM');
      await once(prometheus, 'exit');
    }
    await target.close();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds each counter by labels at 0 before anything has happened, except the counters of probes and extensions', async () => {
    const counters = app.app.get(Metrics).registry.getMetricsAsArray();
    const labelled = counters.filter((each) => String(each.type) === 'counter' && 'labelNames' in each);
    const names = labelled.flatMap((each) =>
      (each as unknown as { labelNames: string[] }).labelNames.length > 0 ? [each.name] : [],
    );
    const missing = [];
    for (const name of names) if ((await query(name)).length === 0) missing.push(name);
    expect(names.length).toBeGreaterThan(10);
    expect(missing.filter((name) => !/^uptime_(probe|extension)_/.test(name))).toEqual([]);
  });

  it('has a number for every panel of the Grafana dashboard before anything has happened', async () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const empty = [];
    for (const { title, targets = [] } of panels)
      for (const { expr } of targets) {
        const found = await query(expr.replaceAll('$job', 'uptime-monitor').replaceAll('$__rate_interval', '1m'));
        if (found.length === 0 || found.some(({ value }) => value[1] === 'NaN')) empty.push(title);
      }
    expect(empty).toEqual([]);
  });

  it('fires nothing while all is well, and UptimeDeliveryFailed for the first message that is given up', async () => {
    expect(await alerts()).toEqual([]);
    const endpoint = await newEndpoint(app.write, await newWebsite(app.write), {
      type: 'HTTP',
      url: target.url('/'),
      interval: 1,
    });
    const config = { url: target.url('/hook') };
    await newAlert(app.write, endpoint, { type: 'webhook', config, failure_threshold: 1 });
    await eventually('the alert fires', async () => (await alerts()).includes('UptimeDeliveryFailed'), 60_000);
    const [{ metric } = { metric: {} }] = await query('uptime_deliveries_finished_total{state="failed"} > 0');
    expect(metric).toMatchObject({ channel: 'webhook', detail: 'rejected' });
  });
});
