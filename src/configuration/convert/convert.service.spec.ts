import { readFileSync } from 'node:fs';
import { ConvertService } from './convert.service';

const ORGANIZATION = '00000000-0000-7000-8000-000000000001';
const many = <Item>(count: number, itemOf: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => itemOf(i));

/** The main thread's CPU seconds. */
const cpuHere = (): number => Number(readFileSync(`/proc/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;

/** A list in block style, with one line for each item. */
const block = (count: number, item: string): string => `${item}\n`.repeat(count);

const bombs = Object.fromEntries(
  many(40, (i) => [
    `f${i}.yaml`,
    `endpoints: []\na: &a [${'x, '.repeat(40)}]\nb: &b [${'*a, '.repeat(40)}]\nc: [${'*b, '.repeat(25)}]\n`,
  ]),
);

describe('ConvertService', () => {
  const service = new ConvertService();

  it('returns the document and the report', async () => {
    const text = 'endpoints:\n  - name: front\n    url: https://a.example\n    conditions: ["[STATUS] == 200"]\n';
    expect(JSON.parse(await service.convert(ORGANIZATION, 'gatus', text))).toMatchObject({
      document: { version: 1, websites: [{ endpoints: [{ name: 'front' }] }] },
      report: [{ name: 'front', result: 'mapped' }],
    });
  });

  it('throws the error of the converter, with its positions', async () => {
    await expect(service.convert(ORGANIZATION, 'gatus', 'a: [\n')).rejects.toMatchObject({
      code: 'malformed_document',
      errors: [{ line: 2, code: 'invalid_syntax' }],
    });
    await expect(service.convert(ORGANIZATION, 'uptimerobot', '{}')).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it.each([
    [
      'credentials under one name',
      'uptimerobot',
      JSON.stringify({
        monitors: many(6000, (i) => ({ type: 1, friendly_name: 'a', url: 'http://a', http_password: `${i}` })),
      }),
    ],
    ['rows of a backup', 'uptime-kuma', JSON.stringify({ monitorList: many(20_000, () => ({})) })],
    ['checks in two documents', 'healthchecks', `checks:\n${block(10_000, ' - {}')}---\nchecks: []\n`],
    ['endpoints', 'gatus', `endpoints:\n${block(4900, ' - {}')}`],
    ['jobs', 'prometheus-blackbox', `scrape_configs:\n${block(10_000, ' - {}')}`],
    [
      'files with aliases',
      'gatus',
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: bombs }),
    ],
  ] as const)('converts many %s in linear time, and not in this thread', async (_, from, text) => {
    const [all, here] = [process.cpuUsage(), cpuHere()];
    expect(await service.convert(ORGANIZATION, from, text)).toMatch(/^\{"document":/);
    expect(process.cpuUsage(all).user / 1e6).toBeLessThan(15);
    expect(cpuHere() - here).toBeLessThan(1);
  });
});
