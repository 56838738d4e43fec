import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigurationDocument } from '../../src/configuration/document/document-shape';
import type { Conversion } from './conversion';
import { convertHealthchecks } from './healthchecks';
import { convertUptimeRobot } from './uptimerobot';

const fixture = (name: string): string => readFileSync(join(__dirname, '../../test/fixtures/moving-in', name), 'utf8');
const reportOf = (convert: (text: string) => Conversion, text: string) =>
  convert(text).report.map(({ at, name, result, why }) => `${at} ${name}: ${result}${why === null ? '' : `, ${why}`}`);

describe('convertHealthchecks', () => {
  it('skips each check with all that is needed to make it by hand', () => {
    expect(convertHealthchecks(fixture('healthchecks.json')).document).toEqual({ version: 1 });
    expect(reportOf(convertHealthchecks, fixture('healthchecks.json'))).toEqual([
      '/checks/0 Nightly backup: skipped, it waits for a signal, and heartbeats come later: UUID 31365bce-8da9-4729-8ff3-aaa71d56b712, ping URL https://hc-ping.com/31365bce-8da9-4729-8ff3-aaa71d56b712, every 86400 s, grace 900 s, tags prod db',
      '/checks/1 Weekly report: skipped, it waits for a signal, and heartbeats come later: unique key a6c7b0a8a66bed0df66abfdab3c77736861703ee, schedule 0 6 * * 1, in Europe/Berlin, grace 3600 s, paused, read it with a key that may write to see its UUID',
    ]);
  });

  it('takes several responses behind each other, and says the lines', () => {
    const pages = '---\n{"checks": [{"name": "a"}]}\n---\n{"checks": [\n{"name": "b"}, 7]}\n';
    expect(convertHealthchecks(pages).report.map(({ at, name }) => `${at} ${name}`)).toEqual([
      'line 2 a',
      'line 5 b',
      'line 5 ',
    ]);
  });

  it.each(['', '{}', '{"checks": {}}', '7', '{"monitors": []}'])('refuses what is no list of checks: %j', (text) => {
    expect(() => convertHealthchecks(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});

describe('convertUptimeRobot', () => {
  const { document } = convertUptimeRobot(fixture('uptimerobot.json'));

  it('makes endpoints that the API takes, in a website for each host', async () => {
    expect((await readConfigurationDocument(JSON.stringify(document), 'one')).document).toEqual(document);
    expect(document).toEqual({
      version: 1,
      secrets: { SHOP_X_KEY: 'abc', SHOP_AUTHORIZATION: 'Basic bW9uaXRvcjpzM2NyZXQ=' },
      websites: [
        {
          key: 'shop.example.com',
          name: 'shop.example.com',
          url: 'https://shop.example.com',
          endpoints: [
            {
              key: 'shop',
              name: 'Shop',
              type: 'HTTPS',
              url: 'https://shop.example.com/',
              method: 'GET',
              interval: 60,
              timeout: 15,
              headers: [
                { key: 'X-Key', value: { $secret: 'SHOP_X_KEY' } },
                { key: 'Authorization', value: { $secret: 'SHOP_AUTHORIZATION' } },
              ],
            },
            {
              key: 'shop-cart',
              name: 'Shop cart',
              type: 'HTTPS',
              url: 'https://shop.example.com/cart',
              method: 'GET',
              interval: 300,
              timeout: 30,
              enabled: false,
              assertions: [
                { source: 'status_code', comparison: 'in', target: '200-203,205-299,401' },
                { source: 'body', comparison: 'contains', target: 'Total' },
              ],
            },
          ],
        },
        {
          key: '192.0.2.1',
          name: '192.0.2.1',
          url: 'https://192-0-2-1.invalid',
          endpoints: [
            { key: 'router', name: 'Router', type: 'ICMP', url: 'icmp://192.0.2.1', interval: 300, timeout: 30 },
          ],
        },
        {
          key: 'mail.example.com',
          name: 'mail.example.com',
          url: 'https://mail-example-com.invalid',
          endpoints: [
            { key: 'mail', name: 'Mail', type: 'TCP', url: 'tcp://mail.example.com:25', interval: 300, timeout: 30 },
          ],
        },
      ],
    });
  });

  it('says of each monitor and each alert contact what became of it', () => {
    expect(reportOf(convertUptimeRobot, fixture('uptimerobot.json'))).toEqual([
      '/monitors/0 Shop: mapped',
      '/monitors/1 Shop cart: approximated, the keyword is found there in upper and lower case, here only as it is written',
      '/monitors/2 Router: mapped',
      '/monitors/3 Mail: mapped',
      '/monitors/4 Backup: skipped, it waits for a signal, and heartbeats come later: https://heartbeat.uptimerobot.com/m777000005-abc, every 86400 s',
      '/monitors/5 No address: skipped, its url is no http or https address',
      '/monitors/6 Digest: skipped, digest authentication is not spoken here',
      '/monitors/7 From the future: skipped, there is no check for monitors of type 42',
      '/monitors/0 ops@example.com: skipped, the file says who is told, and not how: declare a contact, and alerts through it',
      '/monitors/2 192.0.2.1: approximated, a website has a URL; nothing in this one has an http address, so https://192-0-2-1.invalid stands for it',
      '/monitors/3 mail.example.com: approximated, a website has a URL; nothing in this one has an http address, so https://mail-example-com.invalid stands for it',
    ]);
  });
});

describe('the pages of getMonitors', () => {
  const page = (offset: number, count: number, total: number): string => {
    const monitors = Array.from({ length: count }, (_, i) => {
      const name = `m${offset + i}`;
      return { friendly_name: name, type: 1, url: `https://${name}.example.com/` };
    });
    return JSON.stringify({ stat: 'ok', pagination: { offset, limit: 50, total }, monitors });
  };

  it('that were not sent are told of', () => {
    const { report } = convertUptimeRobot(page(0, 50, 120));
    expect(report.filter(({ result }) => result === 'skipped')).toEqual([
      {
        at: '/pagination',
        name: 'other pages',
        result: 'skipped',
        why: '70 of 120 monitors are on other pages (offset=50 …): send them too, all in one',
      },
    ]);
  });

  it('are read as one when they come behind each other', () => {
    const { report } = convertUptimeRobot([page(0, 50, 51), page(50, 1, 51)].join('\n---\n'));
    expect(report).toHaveLength(51);
    expect(report.every(({ result }) => result === 'mapped')).toBe(true);
  });
});
