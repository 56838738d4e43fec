/** @databases both */
import type { AlertView } from '../../../src/alert/alert.dto';
import type { ContactView } from '../../../src/contact/contact.dto';
import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';

interface Refusal {
  code: string;
  errors: { pointer: string; code: string; message: string }[];
}

const HOOK = 'https://hooks.slack.com/services/T000/B000/XXXX';
const OTHER_HOOK = 'https://hooks.slack.com/services/T000/B000/YYYY';
const DEFAULTS = {
  condition: 'degraded' as const,
  failure_threshold: 7,
  success_threshold: 4,
  send_on_resolved: false,
  after: 600,
  remind_every: 3600,
};

describe('alerts that notify through a contact', () => {
  let app: TestApp;
  let api: Api;
  let other: ServiceOrganization;
  let endpointId: string;
  let contactId: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api', egressPrivate: 'allow' });
    api = app.write;
    other = await app.organization('Other');
  });
  beforeEach(async () => {
    endpointId = await newEndpoint(api, await newWebsite(api));
    contactId = await newContact(api);
  });
  afterAll(() => app.close());

  const create = async (body: object = {}): Promise<AlertView> => {
    const response = await api.post<AlertView>('/alerts', { endpoint_id: endpointId, contact_id: contactId, ...body });
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    return response.body;
  };
  const put = (id: string, body: object) => api.put<AlertView & Refusal>(`/alerts/${id}`, body);
  const problemsOf = async (response: { status: number; body: Refusal }) => [
    response.status,
    ...response.body.errors.map(({ pointer, code }) => [pointer, code]),
  ];
  const rowOf = async (id: string) => {
    const [row] = await app.app
      .get(Database)
      .query<{ contactId: string | null; type: string; destination: string; hasConfig: boolean }>(
        `SELECT contact_id AS "contactId", type, destination, config IS NOT NULL AS "hasConfig" FROM alert WHERE id = $1`,
        [parseId('alert', id)],
      );
    return row;
  };
  const destinationOf = async (id: string) => {
    const sql = 'SELECT destination, type FROM contact WHERE id = $1';
    const [row] = await app.app
      .get(Database)
      .query<{ destination: string; type: string }>(sql, [parseId('contact', id)]);
    return row;
  };
  const auditOf = async (id: string) =>
    (
      await app.admin.get<{ action: string; changed: string[]; before: object; after: object }[]>(
        `/audit-log?resource=alert&resource_id=${id}`,
      )
    ).body;

  describe('POST /alerts', () => {
    it('shows the type and the config of the contact, and repeats its type and destination in the row', async () => {
      const alert = await create();
      expect(alert).toMatchObject({
        contact_id: contactId,
        type: 'slack',
        config: { webhook_url: HOOK },
        destination: 'hooks.slack.com',
        failure_threshold: 3,
        remind_every: null,
      });
      expect((await api.get(`/alerts/${alert.id}`)).body).toEqual(alert);
      expect(await rowOf(alert.id)).toEqual({
        ...(await destinationOf(contactId)),
        contactId: parseId('contact', contactId),
        hasConfig: false,
      });
    });

    it('uses the defaults of the contact for fields that the body omits', async () => {
      contactId = await newContact(api, { alert_defaults: DEFAULTS });
      expect(await create()).toMatchObject(DEFAULTS);
      const sent = { failure_threshold: 1, send_on_resolved: true, remind_every: null };
      expect(await create(sent)).toMatchObject({ ...DEFAULTS, ...sent });
    });

    it('keeps its rule when the defaults of the contact change', async () => {
      const alert = await create();
      await api.put(`/contacts/${contactId}`, { alert_defaults: DEFAULTS });
      expect((await api.get<AlertView>(`/alerts/${alert.id}`)).body).toEqual(alert);
    });

    it('requires either a contact or type and config: both and neither are refused', async () => {
      const ask = (body: object) => api.post<Refusal>('/alerts', { endpoint_id: endpointId, ...body });
      const own = { type: 'slack', config: { webhook_url: HOOK } };
      const required = [400, ['/type', 'required'], ['/config', 'required']];
      expect(await problemsOf(await ask({}))).toEqual(required);
      expect(await problemsOf(await ask({ contact_id: null }))).toEqual(required);
      const both = [400, ['/contact_id', 'invalid_format']];
      expect(await problemsOf(await ask({ contact_id: contactId, ...own }))).toEqual(both);
      expect(await problemsOf(await ask({ contact_id: contactId, type: 'slack' }))).toEqual(both);
      expect(await problemsOf(await ask({ contact_id: contactId, config: own.config }))).toEqual(both);
      expect((await ask({ contact_id: null, ...own })).status).toBe(201);
    });

    it('names all wrong fields at once, also with a contact', async () => {
      const body = { contact_id: contactId, type: 'slack', failure_threshold: 0, colour: 'red' };
      const { body: refusal } = await api.post<Refusal>('/alerts', { endpoint_id: endpointId, ...body });
      expect(refusal.errors.map(({ pointer }) => pointer).sort()).toEqual([
        '/colour',
        '/contact_id',
        '/failure_threshold',
      ]);
    });

    it('answers 404 for a contact that is unknown, deleted or another organization’s', async () => {
      const deleted = await newContact(api);
      await api.delete(`/contacts/${deleted}`);
      for (const contact_id of [formatId('contact', newUuid()), deleted, await newContact(other.write)]) {
        const response = await api.post<Refusal>('/alerts', { endpoint_id: endpointId, contact_id });
        expect([response.body.code, ...(await problemsOf(response))]).toEqual([
          'not_found',
          404,
          ['/contact_id', 'not_found'],
        ]);
      }
    });

    it('refuses the id of something else', async () => {
      const body = { endpoint_id: endpointId, contact_id: endpointId };
      expect(await problemsOf(await api.post<Refusal>('/alerts', body))).toEqual([
        400,
        ['/contact_id', 'invalid_format'],
      ]);
    });
  });

  describe('GET /alerts and /alerts/:id', () => {
    it('masks the config for read keys, and shows credentials to no key', async () => {
      contactId = await newContact(api, { type: 'pagerduty', config: { routing_key: 'S3CR3T'.padEnd(32, 'x') } });
      const pager = await create();
      contactId = await newContact(api);
      const slack = await create();
      for (const [by, shown] of [
        [app.read, false],
        [app.write, true],
        [app.admin, true],
      ] as const) {
        for (const path of [`/alerts/${slack.id}`, `/alerts?contact_id=${contactId}`])
          expect((await by.get(path)).text.includes('/services/T000')).toBe(shown);
        expect((await by.get(`/alerts/${pager.id}`)).text).not.toContain('S3CR3T');
      }
    });

    it('filters by contact, with the total', async () => {
      const mine = [await create(), await create()];
      await newAlert(api, endpointId);
      const list = async (query: string) => {
        const { body, headers } = await api.get<AlertView[]>(`/alerts?${query}`);
        return [body.map(({ id }) => id), headers['x-total-count']];
      };
      expect(await list(`contact_id=${contactId}`)).toEqual([mine.map(({ id }) => id), '2']);
      expect(await list(`contact_id=${contactId}&endpoint_id=${endpointId}`)).toEqual([mine.map(({ id }) => id), '2']);
      expect(await list(`contact_id=${formatId('contact', newUuid())}`)).toEqual([[], '0']);
      expect((await api.get('/alerts?contact_id=nonsense')).status).toBe(400);
      expect((await api.get<ContactView>(`/contacts/${contactId}`)).body.alert_count).toBe(2);
    });
  });

  describe('PUT /alerts/:id', () => {
    it('changes nothing when the response of a GET is sent back, with any key', async () => {
      contactId = await newContact(api, {
        type: 'webhook',
        config: { url: 'https://example.com/hook', headers: [{ key: 'X-Token', value: 's3cret' }] },
      });
      const alert = await create();
      const entries = await auditOf(alert.id);
      for (const by of [app.read, app.write, app.admin]) {
        const shown = (await by.get<AlertView>(`/alerts/${alert.id}`)).body;
        const response = await put(alert.id, shown);
        expect([response.status, response.body]).toEqual([200, (await api.get<AlertView>(`/alerts/${alert.id}`)).body]);
      }
      expect(await auditOf(alert.id)).toEqual(entries);
      expect((await api.get<AlertView>(`/alerts/${alert.id}`)).body.updated_at).toBe(alert.updated_at);
    });

    it('changes the rule of an alert with a contact', async () => {
      const alert = await create();
      const { body } = await put(alert.id, { failure_threshold: 9, description: 'Runbook', remind_every: 300 });
      expect(body).toEqual({
        ...alert,
        failure_threshold: 9,
        description: 'Runbook',
        remind_every: 300,
        updated_at: body.updated_at,
      });
    });

    it('moves an alert to another contact, with its type, its destination and an entry that names both', async () => {
      const alert = await create();
      const next = await newContact(api, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      const { status, body } = await put(alert.id, { ...alert, contact_id: next });
      expect(status).toBe(200);
      expect(body).toMatchObject({ contact_id: next, type: 'pagerduty', destination: null });
      expect(await rowOf(alert.id)).toEqual({
        ...(await destinationOf(next)),
        contactId: parseId('contact', next),
        hasConfig: false,
      });
      const [entry] = await auditOf(alert.id);
      expect(entry?.changed.sort()).toEqual(['config', 'contact_id', 'type']);
      expect(entry).toMatchObject({ before: { contact_id: contactId }, after: { contact_id: next } });
      expect(JSON.stringify(entry)).not.toContain('/services/');
    });

    it('moves an alert with its own config to a contact', async () => {
      const id = await newAlert(api, endpointId, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      const { body } = await put(id, { contact_id: contactId });
      expect(body).toMatchObject({ contact_id: contactId, type: 'slack', config: { webhook_url: HOOK } });
      expect(await rowOf(id)).toMatchObject({ ...(await destinationOf(contactId)), hasConfig: false });
    });

    it('detaches with contact_id null and keeps the present config as the alert’s own', async () => {
      contactId = await newContact(api, { type: 'pagerduty', config: { routing_key: 'K'.repeat(32) } });
      const alert = await create();
      const { status, body } = await put(alert.id, { contact_id: null });
      expect(status).toBe(200);
      expect(body).toEqual({ ...alert, contact_id: null, updated_at: body.updated_at });
      expect(await rowOf(alert.id)).toMatchObject({
        ...(await destinationOf(contactId)),
        contactId: null,
        hasConfig: true,
      });
      await api.put(`/contacts/${contactId}`, { type: 'slack', config: { webhook_url: HOOK } });
      // After the contact is deleted, the credential stays the same, so its mask may be sent back.
      expect((await api.delete(`/contacts/${contactId}`)).status).toBe(204);
      const again = await put(alert.id, body);
      expect([again.status, again.body]).toEqual([200, body]);
    });

    it('also detaches with contact_id null next to the config that was shown', async () => {
      const alert = await create();
      const { body } = await put(alert.id, { ...alert, contact_id: null });
      expect(body).toMatchObject({ contact_id: null, type: 'slack', config: { webhook_url: HOOK } });
    });

    it('detaches with another type and config', async () => {
      for (const more of [{}, { contact_id: null }]) {
        const alert = await create();
        const config = { webhook_url: OTHER_HOOK };
        const { status, body } = await put(alert.id, { type: 'slack', config, ...more });
        expect([status, body]).toMatchObject([200, { contact_id: null, type: 'slack', config }]);
        expect((await api.get<ContactView>(`/contacts/${contactId}`)).body.config).toEqual({ webhook_url: HOOK });
      }
    });

    it('keeps a masked credential when it detaches with a config that goes to the same server', async () => {
      const token = `${'1'.repeat(10)}:${'a'.repeat(35)}`;
      contactId = await newContact(api, { type: 'telegram', config: { bot_token: token, chat_id: '@ops' } });
      const alert = await create();
      const config = { ...alert.config, chat_id: '@oncall' };
      expect((await put(alert.id, { type: 'telegram', config })).body).toMatchObject({ contact_id: null, config });
    });

    it('refuses a credential next to a contact, so that no one can guess the stored one', async () => {
      const config = {
        to: ['ops@example.com'],
        smtp: { host: 'mail.example.com', username: 'ops', password: 'Summer2026' },
      };
      contactId = await newContact(api, { type: 'email', config });
      const alert = await create();
      const replies: unknown[] = [];
      for (const password of ['Summer2026', 'Winter2026']) {
        const guess = { config: { ...config, smtp: { ...config.smtp, password } } };
        for (const body of [
          guess,
          { contact_id: contactId, ...guess },
          { contact_id: contactId, type: 'email', ...guess },
        ])
          replies.push(await problemsOf(await put(alert.id, body)));
      }
      expect(replies).toEqual(Array.from({ length: 6 }, () => [400, ['/config', 'read_only']]));
      expect((await put(alert.id, { contact_id: contactId, config: alert.config })).status).toBe(200);
    });

    it('refuses a config or type next to a contact, and explains how to change it', async () => {
      const alert = await create();
      const config = { webhook_url: OTHER_HOOK };
      const next = await newContact(api);
      for (const body of [
        { config },
        { ...alert, config },
        { contact_id: contactId, config },
        { contact_id: next, config },
        { contact_id: next, type: 'slack', config },
      ]) {
        const response = await put(alert.id, body);
        expect(await problemsOf(response)).toEqual([400, ['/config', 'read_only']]);
        expect(response.body.errors[0]?.message).toContain('PUT /contacts/ct_');
      }
      expect(await problemsOf(await put(alert.id, { type: 'pagerduty' }))).toEqual([400, ['/type', 'read_only']]);
      expect((await put(alert.id, { type: 'slack' })).status).toBe(200);
      expect((await api.get(`/alerts/${alert.id}`)).body).toEqual(alert);
    });

    it('names a refused config with the other wrong fields', async () => {
      const alert = await create();
      const { body } = await put(alert.id, {
        failure_threshold: 0,
        config: {},
        endpoint_id: formatId('endpoint', newUuid()),
      });
      expect(body.errors.map(({ pointer }) => pointer).sort()).toEqual([
        '/config',
        '/endpoint_id',
        '/failure_threshold',
      ]);
    });

    it('answers 404 for a contact that is not there, and changes nothing', async () => {
      const alert = await create();
      for (const contact_id of [formatId('contact', newUuid()), await newContact(other.write)]) {
        const response = await put(alert.id, { contact_id, failure_threshold: 9 });
        expect(await problemsOf(response)).toEqual([404, ['/contact_id', 'not_found']]);
      }
      expect((await api.get(`/alerts/${alert.id}`)).body).toEqual(alert);
    });

    it('shows a contact whose config cannot be read as empty, and detaches from it only with another config', async () => {
      const alert = await create();
      await app.app
        .get(Database)
        .query(`UPDATE contact SET config = '{"sealed": "plain:nonsense"}' WHERE id = $1`, [
          parseId('contact', contactId),
        ]);
      const { body: shown } = await api.get<AlertView>(`/alerts/${alert.id}`);
      expect(shown).toEqual({
        ...alert,
        config: {},
        destination: null,
        cannot_send: 'The stored config cannot be read. Save it again.',
      });
      expect((await put(alert.id, shown)).body).toEqual(shown);
      expect((await put(alert.id, { contact_id: null })).status).toBe(409);
      const own = { contact_id: null, type: 'slack', config: { webhook_url: HOOK } };
      expect((await put(alert.id, own)).body).toMatchObject(own);
    });
  });

  it('deletes an alert with a contact, and leaves the contact', async () => {
    const alert = await create();
    expect((await api.delete(`/alerts/${alert.id}`)).status).toBe(204);
    const [entry] = await auditOf(alert.id);
    expect(entry).toMatchObject({ action: 'delete', before: { contact_id: contactId, type: 'slack' } });
    expect((await api.get<ContactView>(`/contacts/${contactId}`)).body.alert_count).toBe(0);
  });

  describe('tests of an alert with a contact', () => {
    let sink: FakeProvider;
    beforeAll(async () => {
      sink = await FakeProvider.start();
      sink.standingResponse({ status: 204 });
    });
    afterAll(() => sink.stop());

    it('use the config of the contact, before and after the alert is saved', async () => {
      contactId = await newContact(api, { type: 'webhook', config: { url: sink.url } });
      const unsaved = await api.post<{ state: string }>('/alerts/test', {
        endpoint_id: endpointId,
        contact_id: contactId,
      });
      expect([unsaved.status, unsaved.body.state]).toEqual([200, 'delivered']);
      const alert = await create();
      const saved = await api.post<{ state: string }>(`/alerts/${alert.id}/test`);
      expect([saved.status, saved.body.state]).toEqual([201, 'delivered']);
      expect(sink.requests).toHaveLength(2);
      expect((await api.get<AlertView>(`/alerts/${alert.id}`)).body.last_delivery).toMatchObject({
        state: 'delivered',
      });
    });

    it('are refused with 404 for an unknown contact, and with 400 for a config next to a contact', async () => {
      const ask = (body: object) => api.post<Refusal>('/alerts/test', { endpoint_id: endpointId, ...body });
      expect(await problemsOf(await ask({ contact_id: formatId('contact', newUuid()) }))).toEqual([
        404,
        ['/contact_id', 'not_found'],
      ]);
      expect(await problemsOf(await ask({ contact_id: contactId, type: 'slack' }))).toEqual([
        400,
        ['/contact_id', 'invalid_format'],
      ]);
    });
  });
});
