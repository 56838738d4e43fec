/**
 * @lane slow
 * @databases both
 */
import { ReminderJob } from '../../../src/alert/reminder/reminder.job';
import { signClaim } from '../../../src/delivery/send/acknowledge-token';
import { ServerSecrets } from '../../../src/platform/secrets/server-secrets';
import { DAY_MS } from '../../../src/platform/time/time-units';
import { startOwnApp } from '../../harness/app/app';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';

interface SlackBody {
  text: string;
  attachments: { blocks: { text?: { text: string } }[] }[];
}

interface Acknowledgement {
  by: string;
  note: string;
}

interface AuditEntry {
  action: string;
  resource: string;
  resource_id: string;
  author: { via: string; key_id: string | null; key_name: string | null; ip: string | null };
}

const PUBLIC_URL = 'https://uptime.example.com/monitor';
const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('the acknowledge link of a message', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({ publicUrl: PUBLIC_URL, statusRateLimitPerSecond: 0 }, { timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(async () => {
    scene.provider.standingResponse(ACCEPTED.slack);
    await scene.finish();
    await scene.database.query('DELETE FROM acknowledgement');
  });

  const linkMarkup = ({ attachments }: SlackBody): string =>
    attachments.flatMap(({ blocks }) => blocks.map(({ text }) => text?.text ?? '')).join('\n');
  const tokenIn = (message: SlackBody | undefined): string => {
    const [, token = ''] =
      /<https:\/\/uptime\.example\.com\/monitor\/ack\/([\w-]+)\|Acknowledge>/.exec(
        message ? linkMarkup(message) : '',
      ) ?? [];
    return token;
  };
  /** Creates a triggered Slack alert on a separate endpoint. Returns it with the token of its message. */
  const triggered = async (name = 'slack', rule: object = {}): Promise<{ alert: SceneAlert; token: string }> => {
    scene.provider.expect(ACCEPTED.slack);
    const alert = await scene.alert('slack', rule, name);
    await scene.report('F', alert);
    await scene.deliver();
    return { alert, token: tokenIn(scene.received<SlackBody>(name).at(-1)) };
  };
  const open = (token: string, init: RequestInit = {}, of = scene) =>
    fetch(`${of.app.url}/ack/${token}`, { ...init, headers: { ...AS_BROWSER, ...init.headers } });
  const take = (token: string, note?: string, headers: Record<string, string> = {}) =>
    open(token, { method: 'POST', body: new URLSearchParams(note === undefined ? {} : { note }), headers });
  const textOf = async (responding: Promise<Response>): Promise<string> => {
    const response = await responding;
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    return (await response.text()).replace(/<style>.*<\/style>/s, '');
  };
  const acknowledgement = ({ endpointId }: SceneAlert) =>
    scene.app.read.get<Acknowledgement>(`/endpoints/${endpointId}/acknowledgement`);
  const stored = async (): Promise<unknown> => {
    const tables = [
      'acknowledgement',
      'audit_log',
      'alert',
      'alert_event',
      'notification',
      'stream_event',
      'endpoint_state',
    ];
    return Promise.all(tables.map((table) => scene.database.query(`SELECT * FROM ${table} ORDER BY 1, 2`)));
  };

  it('is in the trigger for people, and opens a page that shows what is down since when', async () => {
    const { alert, token } = await triggered('page');
    expect(token).toMatch(/^[\w-]{56}$/);
    expect(scene.received<SlackBody>('page').map(linkMarkup).join('\n')).toContain(
      `<${PUBLIC_URL}/#/endpoints/${alert.endpointId}|Details>`,
    );
    const page = await textOf(open(token));
    expect(page).toContain('<h1 class="down">Checkout API is down</h1>');
    expect(page).toMatch(/Shop, since \d{1,2} \w+ \d{4}, \d\d:\d\d:\d\d UTC \(\d+ \w+\)/);
    expect(page).toContain('<button>Acknowledge</button>');
    expect(page).toContain(`href="../#/endpoints/${alert.endpointId}"`);
  });

  it('has no address in its page that a path before it would break', async () => {
    const { token } = await triggered();
    expect((await textOf(open(token))).match(/(?:href|src|action)="(?!\.\.\/)[^"]*"/g)).toBeNull();
  });

  it('is not in resolves and tests, which only link to their page', async () => {
    const { alert } = await triggered('without');
    scene.provider.expect(ACCEPTED.slack, ACCEPTED.slack);
    await scene.report('S', alert);
    await scene.deliver();
    expect((await scene.app.write.post(`/alerts/${alert.id}/test`)).status).toBe(201);
    const [, resolve, test] = scene.received<SlackBody>('without').map(linkMarkup);
    expect([resolve, test].map((text) => text?.includes('/ack/'))).toEqual([false, false]);
    expect(resolve).toContain(`<${PUBLIC_URL}/#/endpoints/${alert.endpointId}|Details>`);
    expect(test).toContain(`<${PUBLIC_URL}/#/alerts/${alert.id}|Details>`);
  });

  it('is in a reminder, and acknowledges the same episode: the reminders stop', async () => {
    const { alert, token } = await triggered('remind', { remind_every: 300 });
    const remind = async (): Promise<void> => {
      scene.clock.advance(330_000);
      await scene.nest.get(ReminderJob).run();
      await scene.deliver();
    };
    scene.provider.expect(ACCEPTED.slack);
    await remind();
    const reminder = scene.received<SlackBody>('remind')[1];
    expect(reminder?.text).toMatch(/^Checkout API is still down for 5 min.* \(reminder 1\)$/);
    expect(tokenIn(reminder)).toMatch(/^[\w-]{56}$/);
    expect(tokenIn(reminder)).not.toBe(token);
    expect(await textOf(take(tokenIn(reminder)))).toContain('You acknowledged this outage.');
    expect(await textOf(open(token))).toContain('This outage was already acknowledged.');
    await remind();
    await remind();
    expect(scene.received('remind')).toHaveLength(2);
    expect((await acknowledgement(alert)).body).toMatchObject({ by: 'link' });
  });

  it('is in no webhook, which gets the address of the page', async () => {
    scene.provider.expect(ACCEPTED.webhook);
    const alert = await scene.alert('webhook', {}, 'hook');
    await scene.report('F', alert);
    await scene.deliver();
    expect(scene.received('hook')).toMatchObject([
      { data: { links: { page: `${PUBLIC_URL}/#/endpoints/${alert.endpointId}` } } },
    ]);
    expect(JSON.stringify(scene.received('hook'))).not.toContain('/ack/');
  });

  it('changes nothing when the page is only opened, no matter how often or by which link scanner', async () => {
    const { token } = await triggered();
    const before = await stored();
    for (let n = 0; n < 50; n++) expect((await open(token)).status).toBe(200);
    const head = await open(token, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await open(token, { headers: { accept: '*/*', 'user-agent': 'Slackbot-LinkExpanding 1.0' } })).status).toBe(
      200,
    );
    expect(await stored()).toEqual(before);
  });

  it('is kept out of caches, of search engines, of the Referer, and of frames', async () => {
    const { token } = await triggered();
    for (const response of [await open(token), await take(token), await open('A'.repeat(56))]) {
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
        ),
      });
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  describe('when its form is sent', () => {
    it('acknowledges the endpoint: no other alert of it triggers, and the recovery is notified', async () => {
      const { alert, token } = await triggered('first');
      const later = { endpoint_id: alert.endpointId, type: 'slack', failure_threshold: 2 };
      const config = { webhook_url: `${scene.provider.url}/second` };
      expect((await scene.app.write.post('/alerts', { ...later, config })).status).toBe(201);
      const page = await textOf(take(token, 'On my way.\r\nCall me.'));
      expect(page).toContain('You acknowledged this outage.');
      expect(page).toContain('<blockquote>On my way.\nCall me.</blockquote>');
      expect(page).not.toContain('<form');
      expect((await acknowledgement(alert)).body).toMatchObject({
        by: 'link',
        note: 'On my way.\nCall me.',
        until: null,
      });
      await scene.report('F', alert);
      await scene.deliver();
      expect(scene.received('second')).toEqual([]);
      scene.provider.expect(ACCEPTED.slack);
      await scene.report('S', alert);
      await scene.deliver();
      expect(scene.received<SlackBody>('first').at(-1)?.text).toContain('back up');
      expect((await acknowledgement(alert)).status).toBe(404);
    });

    it("is written to the audit log as the act of the link's holder, with the address", async () => {
      const { alert, token } = await triggered();
      await take(token, 'mine');
      const { body } = await scene.app.admin.get<AuditEntry[]>('/audit-log?resource=acknowledgement&limit=1');
      expect(body).toMatchObject([
        {
          action: 'create',
          resource_id: alert.endpointId,
          author: { via: 'acknowledge_link', key_id: null, key_name: null, ip: '127.0.0.1' },
          after: { note: 'mine' },
        },
      ]);
    });

    it('notifies the pagers of the endpoint', async () => {
      const { alert, token } = await triggered('people', { success_threshold: 5 });
      scene.provider.expect(ACCEPTED.pagerduty, ACCEPTED.pagerduty);
      const config = { routing_key: 'a'.repeat(32), api_url: `${scene.provider.url}/pager` };
      const pager = { endpoint_id: alert.endpointId, type: 'pagerduty', failure_threshold: 1, config };
      expect((await scene.app.write.post('/alerts', pager)).status).toBe(201);
      await scene.report('F', alert);
      await scene.deliver();
      await take(token);
      await scene.deliver();
      expect(scene.received('pager').map((event) => event['event_action'])).toEqual(['trigger', 'acknowledge']);
    });

    it('shows who has already acknowledged the endpoint, and replaces nothing', async () => {
      const { alert, token } = await triggered();
      await take(token, 'first');
      const before = await stored();
      const page = await textOf(take(token, 'second'));
      expect(page).toContain('This outage was already acknowledged.');
      expect(page).toContain('by someone, using the link in a message');
      expect(await stored()).toEqual(before);
      await scene.app.write.put(`/endpoints/${alert.endpointId}/acknowledgement`, { note: 'by <key> & hand' });
      expect(await textOf(take(token, 'third'))).toMatch(
        / by write[^<]*\.<\/p>\n<blockquote>by &lt;key&gt; &amp; hand</,
      );
      expect((await acknowledgement(alert)).body).toMatchObject({ note: 'by <key> & hand' });
    });

    it('acknowledges with a name, which the browser remembers and no one takes for that of a user', async () => {
      const { alert, token } = await triggered();
      const body = new URLSearchParams({ name: ' Ada\u202e <b> ' });
      const taken = await open(token, { method: 'POST', body });
      const page = await taken.text();
      expect(page).toContain('by Ada &lt;b&gt;, using the link in a message');
      expect((await acknowledgement(alert)).body.by).toBe('Ada <b> (link)');
      const cookie = taken.headers.get('set-cookie') ?? '';
      expect(cookie).toMatch(/^ack_name=[\w-]+; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
      const next = await triggered('named');
      const shown = await open(next.token, { headers: { cookie: cookie.split(';')[0] ?? '' } });
      expect(await shown.text()).toContain('name="name" maxlength="100" autocomplete="name" value="Ada &lt;b&gt;"');
    });

    it('acknowledges the endpoint once, no matter how many people press the button at the same time', async () => {
      const { alert, token } = await triggered();
      const pages = await Promise.all(Array.from({ length: 8 }, (_, n) => textOf(take(token, `from ${n}`))));
      expect(pages.filter((page) => page.includes('You acknowledged this outage.'))).toHaveLength(1);
      const rows = await scene.database.query(
        `SELECT 1 FROM audit_log WHERE resource = 'acknowledgement' AND resource_id = $1`,
        [alert.endpointUuid],
      );
      expect(rows).toHaveLength(1);
    });

    it.each([
      ['from an email client, without an origin', {}],
      [
        "from the service's own page, whose policy hides the origin",
        { origin: 'null', 'sec-fetch-site': 'same-origin' },
      ],
      ['with the cookie of no session', { cookie: '__Host-session=unknown; session=unknown' }],
    ])('needs the token and nothing else: %s', async (_, headers) => {
      const { token } = await triggered();
      expect(await textOf(take(token, '', headers))).toContain('You acknowledged this outage.');
    });

    it('keeps a note within bounds and shows it as text', async () => {
      const { alert, token } = await triggered();
      const note = `<img src=x onerror=alert(1)>\u0000\u202e${'é'.repeat(2000)}`;
      const page = await textOf(take(token, note));
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(page).not.toContain('<img');
      expect((await acknowledgement(alert)).body.note).toHaveLength(1000);
    });

    it.each([
      ['text/plain', 'note=x', 415],
      ['multipart/form-data; boundary=x', '--x--', 415],
      ['application/x-www-form-urlencoded', `note=${'x'.repeat(20_000)}`, 413],
      ['application/x-www-form-urlencoded; charset=latin1', 'note=x', 415],
    ])("refuses a body of %s that is not the service's form, and does nothing", async (type, body, status) => {
      const { alert, token } = await triggered();
      expect((await open(token, { method: 'POST', body, headers: { 'content-type': type } })).status).toBe(status);
      expect((await acknowledgement(alert)).status).toBe(404);
    });

    it('also acknowledges without a note, or with a note as JSON', async () => {
      const [one, two] = [await triggered('one'), await triggered('two')];
      expect(await textOf(open(one.token, { method: 'POST' }))).toContain('You acknowledged this outage.');
      const headers = { 'content-type': 'application/json' };
      await textOf(open(two.token, { method: 'POST', body: '{"note":"by a program"}', headers }));
      expect((await acknowledgement(one.alert)).body).toMatchObject({ by: 'link', note: '' });
      expect((await acknowledgement(two.alert)).body).toMatchObject({ by: 'link', note: 'by a program' });
    });
  });

  describe('that is not valid', () => {
    const refused = async (token: string): Promise<string> => {
      // Requests are limited by address, for any alert.
      scene.clock.advance(1000);
      const [page, form] = [await open(token), await take(token, 'mine')];
      expect([page.status, form.status]).toEqual([404, 404]);
      const text = await page.text();
      expect(await form.text()).toBe(text);
      return text;
    };

    it('is refused when it was changed at any position, with the same page as one that never was', async () => {
      const { alert, token } = await triggered();
      const never = await refused('A'.repeat(56));
      expect(never).toContain('This link is not valid');
      for (let at = 0; at < token.length; at++) {
        const other = ALPHABET.charAt((ALPHABET.indexOf(token.charAt(at)) + 1 + (at % 62)) % 64);
        expect(await refused(token.slice(0, at) + other + token.slice(at + 1))).toBe(never);
      }
      for (const other of [token.slice(1), `${token}A`, `${token}%0A`, '%00', token.toLowerCase(), 'é'])
        expect(await refused(other)).toBe(never);
      expect((await acknowledgement(alert)).status).toBe(404);
    });

    it('is refused when it names the episode of one token and carries the signature of another', async () => {
      const [mine, theirs] = [await triggered('mine'), await triggered('theirs')];
      await refused(theirs.token.slice(0, 32) + mine.token.slice(32));
      expect((await acknowledgement(theirs.alert)).status).toBe(404);
    });

    it('is a problem for programs', async () => {
      const response = await open('A'.repeat(56), { headers: { accept: 'application/json' } });
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect([response.status, (await response.json()) as unknown]).toMatchObject([404, { code: 'not_found' }]);
    });

    it('is refused after seven days', async () => {
      const { alert, token } = await triggered();
      scene.clock.advance(7 * DAY_MS - 60_000);
      expect((await open(token)).status).toBe(200);
      scene.clock.advance(120_000);
      expect(await refused(token)).toContain('This link is not valid');
      expect((await acknowledgement(alert)).status).toBe(404);
    });
  });

  describe('of an episode that has ended', () => {
    it('reports that the episode is over, and does nothing; the next episode has a different link', async () => {
      const { alert, token } = await triggered('again');
      scene.provider.expect(ACCEPTED.slack, ACCEPTED.slack);
      await scene.report('S', alert);
      await scene.deliver();
      expect(await textOf(open(token))).toContain('The outage of Checkout API that this link belongs to has ended, so');
      await scene.report('F', alert);
      await scene.deliver();
      const before = await stored();
      for (const page of [await textOf(open(token)), await textOf(take(token, 'late'))]) {
        expect(page).toContain('This outage is over');
        expect(page).not.toContain('<form');
      }
      expect(await stored()).toEqual(before);
      const next = tokenIn(scene.received<SlackBody>('again').at(-1));
      expect(next).not.toBe(token);
      expect(await textOf(take(next))).toContain('You acknowledged this outage.');
    });

    it('reports only that the episode is over if the alert or its website is deleted', async () => {
      const [alone, whole] = [await triggered('alone'), await triggered('whole')];
      scene.provider.standingResponse(ACCEPTED.slack);
      await scene.app.write.delete(`/alerts/${alone.alert.id}`);
      await scene.app.write.delete(`/websites/${whole.alert.websiteId}`);
      for (const { token } of [alone, whole])
        for (const page of [await textOf(open(token)), await textOf(take(token))]) {
          expect(page).toContain('This outage is over');
          expect(page).not.toContain('Checkout');
        }
    });
  });

  it('acts on the organization of its episode only', async () => {
    const other = await scene.app.organization('Other');
    const [foreign] = await scene.crowd(1, 'slack', 'foreign', other.orgId);
    const own = await triggered('own');
    if (!foreign) throw new Error('there is no alert');
    await scene.report('F', foreign);
    const expiresAt = new Date(scene.now().getTime() + DAY_MS);
    const key = scene.nest.get(ServerSecrets).get('acknowledge_link');
    expect(await textOf(take(signClaim(key, { alertId: foreign.uuid, episodeNo: 1, expiresAt })))).toContain(
      'You acknowledged this outage.',
    );
    expect((await other.read.get(`/endpoints/${foreign.endpointId}/acknowledgement`)).status).toBe(200);
    expect((await acknowledgement(foreign)).status).toBe(404);
    expect((await acknowledgement(own.alert)).status).toBe(404);
    const { body } = await other.admin.get<AuditEntry[]>('/audit-log?resource=acknowledgement');
    expect(body.map(({ resource_id }) => resource_id)).toEqual([foreign.endpointId]);
  });

  it('works with AUTH=off, sent from any page that shows the email', async () => {
    const off = await DeliveryScene.start({ auth: false, publicUrl: PUBLIC_URL });
    try {
      off.provider.expect(ACCEPTED.slack);
      const alert = await off.alert('slack', {}, 'off');
      await off.report('F', alert);
      await off.deliver();
      const token = tokenIn(off.received<SlackBody>('off').at(-1));
      expect((await open(token, {}, off)).status).toBe(200);
      const sent = await open(
        token,
        { method: 'POST', headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } },
        off,
      );
      expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining('You acknowledged this outage.')]);
    } finally {
      await off.close();
    }
  });

  it('has the same request limit per address as a status page', async () => {
    const slow = await startOwnApp({ role: 'api', statusRateLimitPerSecond: 1 });
    try {
      const ask = () => fetch(`${slow.url}/ack/${'A'.repeat(56)}`, { headers: AS_BROWSER });
      const statuses = (await Promise.all(Array.from({ length: 12 }, ask))).map(({ status }) => status);
      expect(statuses).toContain(429);
      expect(statuses).toContain(404);
    } finally {
      await slow.close();
    }
  });
});
