import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectGolden } from '../../testing/channel/golden';
import { readConfigurationDocument } from '../../../src/configuration/document/document-shape';
import { convertPrometheusBlackbox } from './convert-prometheus-blackbox';
import { durationSeconds, literalOf } from './fields';

const FILE = readFileSync(join(__dirname, '../../../test/fixtures/moving-in/prometheus-blackbox.yml'), 'utf8');

describe('convertPrometheusBlackbox', () => {
  const { document, report } = convertPrometheusBlackbox(FILE);

  it('creates a website that the API accepts for each job with targets', async () => {
    expect((await readConfigurationDocument(JSON.stringify(document), 'one')).document).toEqual(document);
    expectGolden('document.json', `${JSON.stringify(document, null, 2)}\n`);
  });

  it('reports what became of each target, job, and module', () => {
    const lines = report.map(
      ({ at, name, result, why }) => `${at} ${name}: ${result}${why === null ? '' : `, ${why}`}\n`,
    );
    expectGolden('report.txt', lines.join(''));
  });

  it('reads the bytes of a TCP conversation, and reports that the service has no such check', () => {
    const modules =
      'modules: {pg: {prober: tcp, tcp: {query_response: [{send: !!binary AAAACATSFi8= }]}}}\nscrape_configs:\n';
    const job =
      '- {job_name: db, metrics_path: /blackbox/probe, params: {module: [pg], target: ["db.example:5432"]}}\n';
    const [entry] = convertPrometheusBlackbox(modules + job).report;
    expect(entry).toMatchObject({ name: 'db.example:5432', why: expect.stringContaining('query_response') });
  });

  it.each<[string, string, string, readonly string[]]>([
    ['a label that a rule makes the module', '{module: tcp_connect}', '', ['TCP', 'HTTP']],
    ['the job’s module where the rule takes no empty label', '{module: tcp_connect}', ', regex: (.+)', ['TCP', 'TCP']],
  ])('follows %s', (_what, labels, regex, types) => {
    const { document: made, report: told } = convertPrometheusBlackbox(`
modules: {http_2xx: {prober: http}, tcp_connect: {prober: tcp}}
scrape_configs:
- job_name: all
  metrics_path: /probe
  params: {module: [tcp_connect]}
  static_configs: [{targets: ['a.example:80'], labels: ${labels}}, {targets: ['b.example:80']}]
  relabel_configs:
  - {source_labels: [module], target_label: __param_module${regex}}
  - {source_labels: [__address__], target_label: __param_target}
  - {target_label: __address__, replacement: 127.0.0.1:9115}
`);
    expect(told.filter(({ result }) => result === 'skipped')).toEqual(
      types.includes('HTTP') ? [] : [expect.objectContaining({ name: 'http_2xx' })],
    );
    expect(made.websites?.[0]?.endpoints?.map(({ type }) => type)).toEqual(types);
  });

  it.each(['', '---\n', '7', 'a: 1', 'modules: []', 'scrape_configs: {}', 'modules: {}\n---\nendpoints: []\n'])(
    'refuses a file in another format: %j',
    (text) => {
      expect(() => convertPrometheusBlackbox(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    },
  );
});

describe('literalOf', () => {
  it.each([
    ['Fatal error', 'Fatal error'],
    ['.*max-age.*', 'max-age'],
    ['example\\.com', 'example.com'],
    ['a|b', null],
    ['example.com', null],
    ['\\d+', null],
    ['(?i)error', null],
    ['.*', null],
    ['', null],
  ])('finds the text in %j', (pattern, text) => {
    expect(literalOf(pattern)).toBe(text);
  });
});

describe('durationSeconds', () => {
  it.each([
    ['1m30s', 90],
    ['500ms', 0.5],
    ['1d', 86_400],
    ['5', null],
    ['', null],
  ])('reads %j', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });
});
