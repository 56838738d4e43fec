import { Problem } from '../../platform/problem/problem';
import { readConfigurationDocument as readFor } from './document-shape';
import { resolveSecrets } from './secrets';

const ORGANIZATION = '00000000-0000-7000-8000-000000000001';
const readConfigurationDocument = (text: string) => readFor(text, ORGANIZATION);

const SHOP = `version: 1
owner: shop-repo
secrets: {SLACK_URL: "https://hooks.slack.com/x"}
contacts:
  - {key: chat, name: Ops chat, type: slack, config: {webhook_url: {$secret: SLACK_URL}}, alert_defaults: {failure_threshold: 2}}
websites:
  - key: shop
    name: Shop
    url: https://shop.example.com
    tags: [prod]
    status_page: {enabled: true, slug: shop}
    endpoints:
      - key: front
        name: Front page
        type: HTTPS
        url: https://shop.example.com/
        interval: 30
        timeout: null
        depends_on: [shop/base]
        headers: [{key: Authorization, value: {$secret: TOKEN}}]
        assertions: [{source: status_code, comparison: equals, target: "200"}]
        alerts: [{key: chat, contact: chat, failure_threshold: 3}]
maintenance_windows:
  - {key: patch, name: Patching, cron: "0 2 * * SUN", timezone: Europe/Berlin, duration: 7200, scope: {tags: [prod], endpoints: [shop/front]}}
status_pages:
  - {key: all, title: Everything, groups: [{name: Shop, endpoints: [shop/front], websites: [shop]}]}
`;

async function problemsOf(text: string): Promise<string[]> {
  try {
    await readConfigurationDocument(text);
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ line, pointer, code }) => `${line} ${pointer} ${code}`);
    throw error;
  }
  return [];
}

const inWebsite = (lines: string): string =>
  `version: 1\nwebsites:\n  - key: a\n    name: A\n    url: https://a.example\n${lines}`;
const inEndpoint = (field: string): string =>
  inWebsite(
    `    endpoints:\n      - key: e\n        name: E\n        type: HTTPS\n        url: https://a.example\n        ${field}\n`,
  );

describe('readConfigurationDocument', () => {
  it('reads a document with everything in it', async () => {
    const shaped = await readConfigurationDocument(SHOP);
    const { document } = shaped;
    expect(document).toMatchObject({ version: 1, owner: 'shop-repo', websites: [{ endpoints: [{ alerts: [{}] }] }] });
    expect(shaped.lineOf('/websites/0/endpoints/0/interval')).toBe(17);
  });

  it('leaves out sections that are empty', async () => {
    const { document } = await readConfigurationDocument('version: 1\ncontacts:\nsecrets:\nwebsites: []\n');
    expect(document).toEqual({ version: 1, websites: [] });
    const { document: other } = await readConfigurationDocument(inWebsite('    endpoints:\n'));
    expect(other.websites?.[0]).not.toHaveProperty('endpoints');
  });

  it.each([
    ['no document', '# nothing\n', ['1  required']],
    ['two documents', 'version: 1\n---\nversion: 1\n', ['null  invalid_format']],
    ['a list', '- version: 1\n', ['1  wrong_type']],
    ['no version', 'owner: a\n', ['1 /version required']],
    ['another version', 'version: 2\n', ['1 /version invalid_format']],
    ['a version as text', 'version: "1"\n', ['1 /version invalid_format']],
    ["an owner that isn't a key", 'version: 1\nowner: Shop Repo\n', ['2 /owner invalid_format']],
    ['unknown fields', 'version: 1\nmonitors: []\n', ['2 /monitors unknown_field']],
    ["a section that isn't a list", 'version: 1\ncontacts: {}\n', ['2 /contacts wrong_type']],
    [
      "items that aren't objects",
      'version: 1\nwebsites: [x]\ncontacts: [1]\n',
      ['3 /contacts/0 wrong_type', '2 /websites/0 wrong_type'],
    ],
    [
      "secrets that aren't texts",
      'version: 1\nsecrets:\n  A: 1\n  b-c: x\n',
      ['3 /secrets/A wrong_type', '4 /secrets/b-c invalid_format'],
    ],
    [
      'missing required fields',
      'version: 1\nwebsites:\n  - {}\n',
      ['3 /websites/0/key required', '3 /websites/0/name required', '3 /websites/0/url required'],
    ],
    [
      'duplicate keys',
      'version: 1\ncontacts:\n  - &c {key: a, name: A, type: slack, config: {}}\n  - *c\n',
      ['3 /contacts/1/key duplicate_key'],
    ],
    [
      'keys of another form',
      inEndpoint('depends_on: [front, Shop/a]').replace('key: a', 'key: A B'),
      [
        '3 /websites/0/key invalid_format',
        '11 /websites/0/endpoints/0/depends_on/0 invalid_format',
        '11 /websites/0/endpoints/0/depends_on/1 invalid_format',
      ],
    ],
    ['fields of the API that no document has', inWebsite('    id: ws_1\n'), ['6 /websites/0/id unknown_field']],
    ['ids in place of keys', inEndpoint('website_id: ws_1'), ['11 /websites/0/endpoints/0/website_id unknown_field']],
    ['values out of range', inEndpoint('interval: 0'), ['11 /websites/0/endpoints/0/interval out_of_range']],
    ['values of another type', inEndpoint('enabled: "yes"'), ['11 /websites/0/endpoints/0/enabled wrong_type']],
    [
      'null for a field without a default',
      inWebsite('').replace('name: A', 'name: null'),
      ['4 /websites/0/name wrong_type'],
    ],
    [
      'a secret with other members',
      inEndpoint('body: {$secret: A, b: 1}'),
      ['11 /websites/0/endpoints/0/body/b unknown_field'],
    ],
    [
      'a secret with a wrong name',
      inEndpoint('body: {$secret: "1 A"}'),
      ['11 /websites/0/endpoints/0/body/$secret invalid_format'],
    ],
    [
      'a secret where there is no credential',
      inEndpoint('name2: x').replace('name: E', 'name: {$secret: A}'),
      ['11 /websites/0/endpoints/0/name2 unknown_field', '8 /websites/0/endpoints/0/name wrong_type'],
    ],
    [
      'an alert of a contact with a type',
      inEndpoint('alerts: [{key: a, contact: c, type: slack}]'),
      ['11 /websites/0/endpoints/0/alerts/0/type invalid_config'],
    ],
    [
      'an alert without a destination',
      inEndpoint('alerts: [{key: a}]'),
      ['11 /websites/0/endpoints/0/alerts/0/type required', '11 /websites/0/endpoints/0/alerts/0/config required'],
    ],
    ['alerts that are null', inEndpoint('alerts:'), ['11 /websites/0/endpoints/0/alerts wrong_type']],
    [
      'a scope of another form',
      'version: 1\nmaintenance_windows:\n  - {key: a, name: A, scope: {website_ids: [], websites: [a/b]}}\n',
      [
        '3 /maintenance_windows/0/scope/website_ids unknown_field',
        '3 /maintenance_windows/0/scope/websites/0 invalid_format',
      ],
    ],
    [
      'a page without groups',
      'version: 1\nstatus_pages:\n  - {key: a, title: A}\n',
      ['3 /status_pages/0/groups required'],
    ],
    [
      'a slug of another form',
      inWebsite('    status_page: {slug: "A B"}\n'),
      ['6 /websites/0/status_page/slug invalid_format'],
    ],
  ])('refuses %s, and reports the lines', async (_, text, problems) => {
    expect(await problemsOf(text)).toEqual(problems);
  });

  it('refuses more resources than one plan can have, including alerts', async () => {
    const endpoints = (count: number): string =>
      JSON.stringify({
        version: 1,
        websites: [
          {
            key: 'a',
            name: 'A',
            url: 'https://a.example',
            endpoints: Array.from({ length: count }, (_, i) => ({
              key: `e${i}`,
              name: 'E',
              type: 'HTTP',
              url: 'http://a.example',
              alerts: [{ key: 'c', contact: 'c' }],
            })),
          },
        ],
      });
    expect(await problemsOf(endpoints(2500))).toEqual(['1  too_large']);
    expect(await problemsOf(endpoints(10))).toEqual([]);
  });
});

describe('the problems of a large document', () => {
  const list = (count: number, itemOf: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => itemOf(i)).join('\n');
  it.each([
    ['unknown fields', `version: 1\n${list(40_000, (i) => `f${i}: 0`)}`],
    ['names of secrets', `version: 1\nsecrets:\n${list(40_000, (i) => `  b-${i}: x`)}`],
    ['endpoints', inWebsite(`    endpoints:\n${list(4990, (i) => `      - {key: e${i}, type: HTTP, url: 5}`)}`)],
    ['headers', inEndpoint(`headers: [${'{a: 1}, '.repeat(10_000)}]`)],
  ])('are reported for the first %s, in linear time', async (_, text) => {
    const before = process.cpuUsage();
    const found = await problemsOf(text);
    expect(found.length).toBeLessThanOrEqual(20);
    expect(found[0]).toMatch(/^[0-9]+ \/\S+ /);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(12);
  });
});

describe('resolveSecrets', () => {
  it('replaces references with values, and lists references without a value', async () => {
    const { document } = await readConfigurationDocument(SHOP);
    const resolved = resolveSecrets(document);
    expect(resolved.document).not.toHaveProperty('secrets');
    expect(resolved.document.contacts?.[0]?.config).toEqual({ webhook_url: 'https://hooks.slack.com/x' });
    expect(resolved.missing).toEqual([{ pointer: '/websites/0/endpoints/0/headers/0/value', name: 'TOKEN' }]);
    expect(resolved.document.websites?.[0]?.endpoints?.[0]?.headers?.[0]?.value).toEqual({ $secret: 'TOKEN' });
    expect(document.secrets).toEqual({ SLACK_URL: 'https://hooks.slack.com/x' });
  });

  it('does not resolve a name that only JavaScript knows', async () => {
    const { document } = await readConfigurationDocument(inEndpoint('body: {$secret: toString}'));
    expect(resolveSecrets(document).missing).toHaveLength(1);
  });
});
