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
  it('makes heartbeats that keep their UUID, schedule and tags', async () => {
    const { document } = convertHealthchecks(fixture('healthchecks.json'));
    expect((await readConfigurationDocument(JSON.stringify(document), 'one')).document).toEqual(document);
    expect(document).toEqual({
      version: 1,
      secrets: { NIGHTLY_BACKUP_PING_ID: '31365bce-8da9-4729-8ff3-aaa71d56b712' },
      websites: [
        {
          key: 'healthchecks',
          name: 'healthchecks',
          url: 'https://healthchecks.invalid',
          endpoints: [
            {
              key: 'nightly-backup',
              name: 'Nightly backup',
              type: 'HEARTBEAT',
              heartbeat: { every: 86_400, grace: 900, ping_id: { $secret: 'NIGHTLY_BACKUP_PING_ID' } },
              tags: ['prod', 'db'],
            },
          ],
        },
      ],
    });
    expect(reportOf(convertHealthchecks, fixture('healthchecks.json'))).toEqual([
      '/checks/0 Nightly backup: mapped',
      '/checks/1 Weekly report: skipped, it was exported with a read-only key, so its UUID is not in the file. Export it with a read-write key',
      '/checks/0 integrations: skipped, the file contains only the IDs of integrations: declare contacts, and alerts that use them',
      '/checks/0 healthchecks: approximated, a website must have a URL, and nothing in this one has an HTTP URL, so https://healthchecks.invalid is used as a placeholder',
    ]);
  });

  const UUID = '31365bce-8da9-4729-8ff3-aaa71d56b712';
  it.each([
    [{ schedule: '0  3 * * *', tz: 'Europe/Berlin' }, { cron: '0  3 * * *', timezone: 'Europe/Berlin' }, null],
    [{ schedule: '0 3 * * *' }, { cron: '0 3 * * *', timezone: 'UTC' }, null],
    [{ timeout: 20 }, { every: 60 }, /due every 60 seconds, not every 20/],
    [{}, { every: 86_400, grace: 3600 }, null],
    [{ methods: 'POST' }, { every: 86_400 }, /a GET request is also a ping/],
    [{ success_kw: 'done', filter_body: true }, { every: 86_400 }, /keywords in the content of a ping are ignored/],
    [{ manual_resume: true }, { every: 86_400 }, /someone must enable it again/],
    [{ desc: 'dumps the shop' }, { every: 86_400 }, /it was "dumps the shop"/],
  ])('of the check %j is %j', (check, heartbeat, why) => {
    const { document, report } = convertHealthchecks(JSON.stringify([{ name: 'a', uuid: UUID, ...check }]));
    expect(document.websites?.[0]?.endpoints?.[0]?.heartbeat).toMatchObject(heartbeat);
    if (why === null) expect(report[0]).toMatchObject({ result: 'mapped' });
    else expect(report[0]?.why).toMatch(why);
  });

  it.each([
    [{ schedule: 'Mon *-*-* 03:00' }, /not a cron expression with five fields: Mon \*-\*-\* 03:00/],
    [{ schedule: '0 3 * * *', tz: 'Mars/Base' }, /IANA/],
    [{ schedule: '0 3 31 2 *' }, /cron never matches a date/],
  ])('leaves %j out with the reason', (check, why) => {
    const { document, report } = convertHealthchecks(JSON.stringify([{ name: 'a', uuid: UUID, ...check }]));
    expect([document.websites, report[0]?.result, report[0]?.why]).toEqual([
      undefined,
      'skipped',
      expect.stringMatching(why),
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
        {
          key: 'heartbeats',
          name: 'heartbeats',
          url: 'https://heartbeats.invalid',
          endpoints: [{ key: 'backup', name: 'Backup', type: 'HEARTBEAT', heartbeat: { every: 86_400 } }],
        },
      ],
    });
  });

  it('says of each monitor and each alert contact what became of it', () => {
    expect(reportOf(convertUptimeRobot, fixture('uptimerobot.json'))).toEqual([
      '/monitors/0 Shop: mapped',
      '/monitors/1 Shop cart: approximated, the keyword is case-sensitive here, and was case-insensitive in UptimeRobot',
      '/monitors/2 Router: mapped',
      '/monitors/3 Mail: mapped',
      '/monitors/4 Backup: approximated, it gets a new ping URL, so its jobs must be changed; the old URL is https://heartbeat.uptimerobot.com/m777000005-abc',
      '/monitors/5 No address: skipped, its url is not an http or https URL',
      '/monitors/6 Digest: skipped, digest authentication is not supported',
      '/monitors/7 From the future: skipped, monitors of type 42 are not supported',
      '/monitors/0 ops@example.com: skipped, the file does not say how the contact is notified: declare a contact, and alerts that use it',
      '/monitors/2 192.0.2.1: approximated, a website must have a URL, and nothing in this one has an HTTP URL, so https://192-0-2-1.invalid is used as a placeholder',
      '/monitors/3 mail.example.com: approximated, a website must have a URL, and nothing in this one has an HTTP URL, so https://mail-example-com.invalid is used as a placeholder',
      '/monitors/4 heartbeats: approximated, a website must have a URL, and nothing in this one has an HTTP URL, so https://heartbeats.invalid is used as a placeholder',
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
        why: '70 of 120 monitors are on other pages (offset=50 …). Send all pages together',
      },
    ]);
  });

  it('are read as one when they come behind each other', () => {
    const { report } = convertUptimeRobot([page(0, 50, 51), page(50, 1, 51)].join('\n---\n'));
    expect(report).toHaveLength(51);
    expect(report.every(({ result }) => result === 'mapped')).toBe(true);
  });
});
