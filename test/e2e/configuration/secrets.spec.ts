import { MOST_GUESSES, SecretGuesses } from '../../../src/configuration/plan/secret-guesses';
import type { ConfigurationPlanView } from '../../../src/configuration/plan/plan.dto';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startApp, type TestApp } from '../../harness/app/app';

const HOOK = 'https://hooks.slack.com/services/T0/B0/XXXX';
/** A secret of the pipeline for another purpose, which a pull request must not print. */
const FOREIGN = 'a-secret-of-the-pipeline';

const withContact = (type: string, config: object) => `version: 1
secrets: {FOREIGN: "${FOREIGN}"}
contacts:
  - key: chat
    name: Chat
    type: ${type}
    config: ${JSON.stringify(config)}
`;
const withEndpoint = (settings: object) => `version: 1
secrets: {FOREIGN: "${FOREIGN}"}
websites:
  - key: shop
    name: Shop
    url: https://shop.example.com
    endpoints:
      - ${JSON.stringify({ key: 'front', name: 'Front', type: 'HTTPS', url: 'https://shop.example.com/', ...settings })}
`;
const reference = { $secret: 'FOREIGN' };

interface Refusal {
  code: string;
  errors: { pointer: string; code: string; line: number; message: string }[];
}

describe('A secret of a document', () => {
  let app: TestApp;
  let org: ServiceOrganization;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    org = await app.organization('secrets');
  });
  afterAll(() => app.close());

  const plan = (document: object) => org.write.post<ConfigurationPlanView>('/configuration/plan', document);
  const sendText = async (text: string, path: string, method: string) => {
    const response = await fetch(`${app.url}/api/v1/configuration${path}`, {
      method,
      headers: { authorization: `Bearer ${org.write.key}`, 'content-type': 'application/yaml' },
      body: text,
    });
    const body = await response.text();
    return { status: response.status, text: body, body: JSON.parse(body) as Refusal };
  };

  it.each([
    [
      'username of Discord',
      withContact('discord', { webhook_url: HOOK, username: reference }),
      '/contacts/0/config/username',
      7,
    ],
    [
      'content of Discord',
      withContact('discord', { webhook_url: HOOK, content: reference }),
      '/contacts/0/config/content',
      7,
    ],
    [
      'channel of Slack',
      withContact('slack', { webhook_url: HOOK, channel: reference }),
      '/contacts/0/config/channel',
      7,
    ],
    [
      'host of a mail server',
      withContact('email', { to: ['ops@example.com'], smtp: { host: reference, password: 'p' } }),
      '/contacts/0/config/smtp/host',
      7,
    ],
    [
      'name of a header of a webhook',
      withContact('webhook', { url: 'https://example.com', headers: [{ key: reference, value: 'v' }] }),
      '/contacts/0/config/headers/0/key',
      7,
    ],
    [
      'setting of an alert without a contact',
      withEndpoint({ alerts: [{ key: 'a', type: 'slack', config: { webhook_url: HOOK, channel: reference } }] }),
      '/websites/0/endpoints/0/alerts/0/config/channel',
      8,
    ],
    [
      'header that contains no credential',
      withEndpoint({ headers: [{ key: 'User-Agent', value: reference }] }),
      '/websites/0/endpoints/0/headers/0/value',
      8,
    ],
    [
      'text that a body is compared with',
      withEndpoint({ assertions: [{ source: 'body', comparison: 'contains', target: reference }] }),
      '/websites/0/endpoints/0/assertions/0/target',
      8,
    ],
  ])('is refused where other users would see it: the %s', async (_, text, pointer, line) => {
    for (const [path, method] of [
      ['/plan', 'POST'],
      ['', 'PUT'],
    ] as const) {
      const refused = await sendText(text, path, method);
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [{ pointer, line, code: 'invalid_config', message: expect.stringContaining('{$secret: …}') as string }],
      ]);
      expect(refused.text).not.toContain(FOREIGN);
    }
    // Without values, the error is the same. The path isn't reported as a missing secret.
    const without = await sendText(text.replace(/^secrets.*\n/m, ''), '/plan', 'POST');
    expect(without.body.errors).toMatchObject([{ pointer, code: 'invalid_config' }]);
  });

  it("is allowed for every credential and every receiver's address, and is in no plan", async () => {
    const taken = await plan({
      version: 1,
      secrets: { FOREIGN: HOOK, TOKEN: FOREIGN, MAIL: `${FOREIGN}@example.com` },
      contacts: [
        { key: 'chat', name: 'Chat', type: 'slack', config: { webhook_url: reference } },
        {
          key: 'hook',
          name: 'Hook',
          type: 'webhook',
          config: { url: reference, headers: [{ key: 'X-Token', value: { $secret: 'TOKEN' } }] },
        },
        {
          key: 'mail',
          name: 'Mail',
          type: 'email',
          config: {
            to: [{ $secret: 'MAIL' }],
            smtp: { host: 'mail.example.com', username: 'mailer', password: { $secret: 'TOKEN' } },
          },
        },
      ],
      websites: [
        {
          key: 'shop',
          name: 'Shop',
          url: 'https://shop.example.com',
          endpoints: [
            {
              key: 'front',
              name: 'Front',
              type: 'HTTPS',
              url: 'https://shop.example.com/',
              headers: [{ key: 'Authorization', value: { $secret: 'TOKEN' } }],
              body: { $secret: 'TOKEN' },
              assertions: [
                { source: 'header', property: 'X-Token', comparison: 'equals', target: { $secret: 'TOKEN' } },
              ],
              alerts: [],
            },
          ],
        },
      ],
    });
    expect([taken.status, taken.text]).toEqual([200, expect.stringContaining('"create":5')]);
    expect(taken.text).not.toContain(FOREIGN);
  });

  it.each(['HTTP', 'HTTPS', 'TCP', 'DNS', 'ICMP', 'SSH'])(
    'is not repeated in the error if it is not a valid address of a %s endpoint',
    async (type) => {
      const values = [
        FOREIGN,
        `${FOREIGN} `,
        `${FOREIGN}:1`,
        `https://${FOREIGN}`,
        `https://u:${FOREIGN}@a.example.com`,
      ];
      for (const value of [...values, `ftp://${FOREIGN}`, `dns:${FOREIGN}?type=${FOREIGN}`, `tcp://a:${FOREIGN}`]) {
        const text = withEndpoint({ type, url: reference, alerts: [] });
        const planned = await sendText(text.replace(`"${FOREIGN}"`, JSON.stringify(value)), '/plan', 'POST');
        expect([value, planned.status === 429, planned.text.includes(FOREIGN)]).toEqual([value, false, false]);
      }
    },
  );

  it('is compared with the stored one about a hundred times a day, so that no one can find it by trying', async () => {
    const keys = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
    const pagers = (routing_key: string, more: object[] = []) => ({
      version: 1,
      contacts: [{ key: 'pager', name: 'Pager', type: 'pagerduty', config: { routing_key } }, ...more],
    });
    const planned = async (document: object, by = app.write) => {
      const { status, headers, text } = await by.post<Refusal>('/configuration/plan', document);
      return [status, text.includes('(changed)'), headers['retry-after'] !== undefined];
    };
    const [same, different, refused] = [
      [200, false, false],
      [200, true, false],
      [429, false, true],
    ];
    const [right = '', wrong = '', other = ''] = keys;
    expect((await app.write.put('/configuration', pagers(right))).status).toBe(200);
    app.app.get(SecretGuesses).count(app.orgId, MOST_GUESSES - 2);
    expect(await planned(pagers(wrong))).toEqual(different);
    // The same value in two places counts as one guess.
    const own = { key: 'second', name: 'Second', type: 'pagerduty', config: { routing_key: wrong } };
    expect(await planned(pagers(wrong, [own]))).toEqual(different);
    expect(await planned(pagers(other))).toEqual(refused);
    // An apply that is refused for another reason counts too, because it would reveal the same.
    const stale = await app.write.put('/configuration', pagers(other), { 'If-Match': '"another-plan"' });
    expect(stale.status).toBe(429);
    // Values that are unchanged or new, and requests with a key that can't see them, are planned as usual.
    expect(await planned(pagers(right, [own]))).toEqual(same);
    expect(await planned(pagers(other), app.read)).toEqual(same);
  });

  it.each(['', '  '])('is refused if it is empty (%j): an empty credential is not a credential', async (value) => {
    const refused = await sendText(`version: 1\nsecrets:\n  TOKEN: ${JSON.stringify(value)}\n`, '/plan', 'POST');
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ pointer: '/secrets/TOKEN', line: 3, code: 'required', message: expect.stringContaining('leave it out') }],
    ]);
  });
});
