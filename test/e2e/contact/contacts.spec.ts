/** @databases both */
import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { ContactStore } from '../../../src/contact/contact-store';
import type { ContactView } from '../../../src/contact/contact.dto';
import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { alertThrough } from '../../harness/app/contact-alerts';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const WEBHOOK_URL = 'https://hooks.slack.com/services/T000/B000/XXXX';
const SLACK = { type: 'slack', config: { webhook_url: WEBHOOK_URL } };
const PAGER = { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } };
const MISSING = formatId('contact', newUuid());

interface Refusal {
  code: string;
  detail: string;
  errors: { pointer: string; code: string; message: string }[];
  quota?: object;
}

describe('contacts', () => {
  let app: TestApp;
  let api: Api;
  let other: ServiceOrganization;
  let database: Database;
  let endpointId: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', egressPrivate: 'auto' });
    api = app.write;
    database = app.app.get(Database);
    other = await app.organization('Other');
    endpointId = await newEndpoint(api, await newWebsite(api));
  });
  afterAll(() => app.close());

  const create = async (fields: object = {}, by: Api = api): Promise<ContactView> => {
    const response = await by.post<ContactView>('/contacts', { name: 'Operations', ...SLACK, ...fields });
    expect(response.status).toBe(201);
    return response.body;
  };
  const read = async ({ id }: { id: string }, by: Api = api) => (await by.get<ContactView>(`/contacts/${id}`)).body;
  const orgId = async (): Promise<string> =>
    parseId('organization', (await api.get<{ id: string }>('/organization')).body.id) ?? '';
  /** Returns the entries about one contact, newest first. */
  const audit = async (id: string) => {
    const { body } = await app.admin.get<AuditEntryView[]>('/audit-log?limit=1000');
    return body.filter(({ resource_id }) => resource_id === id);
  };

  describe('POST /contacts', () => {
    it('creates a contact with all defaults and answers 201 with every field and its Location', async () => {
      const { status, headers, body } = await api.post<ContactView>('/contacts', { name: 'Operations', ...SLACK });
      expect([status, headers['location']]).toEqual([201, `/api/v1/contacts/${body.id}`]);
      expect(body).toEqual({
        id: expect.stringMatching(/^ct_[0-9a-hjkmnp-tv-z]{26}$/),
        name: 'Operations',
        ...SLACK,
        default: false,
        alert_defaults: {},
        key: null,
        owner: null,
        destination: 'hooks.slack.com',
        cannot_send: null,
        alert_count: 0,
        last_delivery: null,
        failing_since: null,
        failing: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: body.created_at,
      });
      expect(await read(body)).toEqual(body);
      expect(await audit(body.id)).toMatchObject([{ action: 'create', resource: 'contact' }]);
    });

    it('creates a contact from the request, with its name trimmed and read-only fields ignored', async () => {
      const alert_defaults = { condition: 'degraded', failure_threshold: 2, after: 600, remind_every: null } as const;
      const ignored = { id: 'ct_x', alert_count: 7, last_delivery: 'x', failing_since: 'x', destination: 1 };
      const contact = await create({ name: '  Night shift ', default: true, alert_defaults, ...ignored });
      expect(contact).toMatchObject({ name: 'Night shift', default: true, alert_defaults, alert_count: 0 });
      expect(contact.alert_defaults).toEqual(alert_defaults);
      expect(await read(contact)).toEqual(contact);
      await api.delete(`/contacts/${contact.id}`);
    });

    it('shows a secret that the channel generated only in the response that created or changed the contact', async () => {
      const config = { url: 'https://example.com/hook' };
      const contact = await create({ type: 'webhook', config });
      expect(contact.config).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
      expect((await read(contact)).config).toMatchObject({ secret: expect.stringMatching(/^\*{8}/) });
      const slack = await create();
      const changed = await api.put<ContactView>(`/contacts/${slack.id}`, { type: 'webhook', config });
      expect(changed.body.config).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
      expect((await read(slack)).config).toMatchObject({ secret: expect.stringMatching(/^\*{8}/) });
    });

    const bad: [string, object, string, string][] = [
      ['name missing', { name: undefined }, '/name', 'required'],
      ['name empty after trimming', { name: '   ' }, '/name', 'invalid_format'],
      ['name too long', { name: 'x'.repeat(256) }, '/name', 'too_long'],
      ['name null', { name: null }, '/name', 'wrong_type'],
      ['type missing', { type: undefined }, '/type', 'required'],
      ['type unknown', { type: 'pigeon' }, '/type', 'unsupported_type'],
      ['type null', { type: null }, '/type', 'wrong_type'],
      ['config missing', { config: undefined }, '/config', 'required'],
      ['config null', { config: null }, '/config', 'wrong_type'],
      ['config of another type', { type: 'pagerduty' }, '/config/webhook_url', 'unknown_field'],
      ['config with an unknown key', { config: { ...SLACK.config, colour: 'red' } }, '/config/colour', 'unknown_field'],
      ['config that is a mask', { config: { webhook_url: '********' } }, '/config/webhook_url', 'invalid_config'],
      ['default as a text', { default: 'true' }, '/default', 'wrong_type'],
      ['alert_defaults null', { alert_defaults: null }, '/alert_defaults', 'wrong_type'],
      ['alert_defaults a list', { alert_defaults: [] }, '/alert_defaults', 'wrong_type'],
      ['an unknown default', { alert_defaults: { enabled: true } }, '/alert_defaults/enabled', 'unknown_field'],
      ['a default null', { alert_defaults: { after: null } }, '/alert_defaults/after', 'wrong_type'],
      [
        'a threshold of 0',
        { alert_defaults: { failure_threshold: 0 } },
        '/alert_defaults/failure_threshold',
        'out_of_range',
      ],
      [
        'reminders every second',
        { alert_defaults: { remind_every: 1 } },
        '/alert_defaults/remind_every',
        'out_of_range',
      ],
      ['an unknown field', { pager: 'ops' }, '/pager', 'unknown_field'],
    ];
    it.each(bad)('refuses to create a contact: %s', async (_, change, pointer, code) => {
      const { status, body } = await api.post<Refusal>('/contacts', { name: 'Operations', ...SLACK, ...change });
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
    });

    it('lists the channel types when the type of a contact is unknown', async () => {
      const { body } = await api.post<Refusal>('/contacts', { name: 'Operations', ...SLACK, type: 'pigeon' });
      for (const type of SPEC_CHANNEL_TYPES) expect(body.errors[0]?.message).toContain(type);
    });

    it('answers 422 when the egress policy would never allow a message through the contact', async () => {
      const body = { name: 'Inside', type: 'slack', config: { webhook_url: 'http://10.0.0.1/hook' } };
      const refused = await other.write.post<Refusal>('/contacts', body);
      expect([refused.status, refused.body.code]).toEqual([422, 'target_not_allowed']);
      expect(refused.body.errors[0]?.pointer).toBe('/config/webhook_url');
      expect((await api.post('/contacts', body)).status).toBe(201);
    });

    it('refuses to create and to change a contact with a read key', async () => {
      const { id } = await create();
      const statuses = [
        await app.read.post('/contacts', { name: 'Operations', ...SLACK }),
        await app.read.put(`/contacts/${id}`, { name: 'Mine' }),
        await app.read.delete(`/contacts/${id}`),
        await app.read.post(`/contacts/${id}/test`),
      ].map(({ status }) => status);
      expect(statuses).toEqual([403, 403, 403, 403]);
    });
  });

  describe('GET /contacts', () => {
    it('lists the contacts of the organization alone, oldest first and in pages', async () => {
      const { write, read: reader } = await app.organization('Three contacts');
      const ids = [];
      for (const name of ['First', 'Second', 'Third']) ids.push(await newContact(write, { name }));
      const all = await reader.get<ContactView[]>('/contacts');
      expect([all.status, all.headers['x-total-count']]).toEqual([200, '3']);
      expect(all.body.map(({ id }) => id)).toEqual(ids);
      const first = await reader.get<ContactView[]>('/contacts?limit=2');
      const cursor = first.headers['x-next-cursor'] ?? '';
      const second = await reader.get<ContactView[]>(`/contacts?limit=2&cursor=${cursor}`);
      expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(['First', 'Second', 'Third']);
    });

    it('answers 400 for a limit, a cursor or a parameter that does not exist', async () => {
      const codes = [];
      for (const query of ['limit=0', 'cursor=x', 'type=slack'])
        codes.push((await api.get<Refusal>(`/contacts?${query}`)).body.code);
      expect(codes).toEqual(['invalid_query', 'invalid_cursor', 'invalid_query']);
    });

    it('masks credentials for every role, and addresses for read keys', async () => {
      const email = { type: 'email', config: { to: ['ops@example.com'] } };
      const [pager, slack, mail] = [await create(PAGER), await create(), await create(email)];
      expect((await read(pager)).config).toEqual({ routing_key: expect.stringMatching(/^\*{8}/) });
      for (const contact of [slack, mail]) {
        expect((await read(contact)).config).toEqual(contact.config);
        const seen = JSON.stringify(await read(contact, app.read));
        expect(seen).toContain('********');
        expect(seen).not.toMatch(/XXXX|ops@example/);
      }
    });

    it('answers the same 404 for a contact that is unknown, deleted, of another organization, or another resource', async () => {
      const deleted = await newContact(api);
      await api.delete(`/contacts/${deleted}`);
      const foreign = await newContact(other.write);
      const asked = async (id: string) => [
        await api.get<Refusal>(`/contacts/${id}`),
        await api.put<Refusal>(`/contacts/${id}`, { name: 'Mine' }),
        await api.delete<Refusal>(`/contacts/${id}`),
        await api.post<Refusal>(`/contacts/${id}/test`),
      ];
      const codes = (await Promise.all([MISSING, deleted, foreign, 'ct_1', endpointId].map(asked))).flat();
      expect(codes.map(({ status, body }) => [status, body.code])).toEqual(codes.map(() => [404, 'not_found']));
      expect((await other.read.get(`/contacts/${foreign}`)).status).toBe(200);
    });
  });

  describe('PUT /contacts/:id', () => {
    it('changes only the fields that were sent, and updated_at', async () => {
      const contact = await create({ alert_defaults: { after: 60 } });
      const { status, body } = await api.put<ContactView>(`/contacts/${contact.id}`, { name: ' Night ' });
      expect(status).toBe(200);
      expect(body).toEqual({ ...contact, name: 'Night', updated_at: body.updated_at });
      expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(Date.parse(contact.updated_at));
      expect(await read(contact)).toEqual(body);
      const [entry] = await audit(contact.id);
      expect(entry).toMatchObject({ action: 'update', before: { name: 'Operations' }, after: { name: 'Night' } });
    });

    it('replaces the defaults as a whole', async () => {
      const { id } = await create({ alert_defaults: { failure_threshold: 5, remind_every: 3600 } });
      const sent = { alert_defaults: { failure_threshold: 5 } };
      const changed = await api.put<ContactView>(`/contacts/${id}`, sent);
      expect(changed.body.alert_defaults).toEqual(sent.alert_defaults);
      const none = await api.put<ContactView>(`/contacts/${id}`, { alert_defaults: {} });
      expect(none.body.alert_defaults).toEqual({});
    });

    it.each([
      ['without fields', () => ({})],
      ['with the response of a GET', (contact: ContactView) => read(contact)],
      ['with the response of a GET with a read key, masks included', (contact: ContactView) => read(contact, app.read)],
    ])('an update %s changes nothing and leaves no entry in the audit log', async (_, body) => {
      const email = {
        type: 'email',
        config: {
          to: ['ops@example.com'],
          smtp: { host: '127.0.0.1', port: 587, username: 'u', password: 'very secret' },
          from: 'up@example.com',
        },
      };
      const alert_defaults = { success_threshold: 4, failure_threshold: 3, send_on_resolved: false };
      for (const fields of [PAGER, SLACK, email, { type: 'webhook', config: { url: 'https://example.com/' } }]) {
        const contact = await create({ ...fields, alert_defaults });
        const before = await read(contact);
        const response = await api.put<ContactView>(`/contacts/${contact.id}`, await body(contact));
        expect([response.status, response.body]).toEqual([200, before]);
        expect(await audit(contact.id)).toHaveLength(1);
      }
    });

    it('a mask that is sent back with another field keeps the stored credential', async () => {
      const contact = await create({
        type: 'telegram',
        config: { bot_token: `${'1'.repeat(10)}:${'a'.repeat(35)}`, chat_id: '@ops' },
      });
      const config = { ...(await read(contact)).config, chat_id: '@oncall' };
      const { body } = await api.put<ContactView>(`/contacts/${contact.id}`, { config });
      expect(body.config).toEqual(config);
    });

    it('records in the audit log that a credential changed, without the new value', async () => {
      const contact = await create(PAGER);
      const routing_key = 'S'.repeat(32);
      expect((await api.put(`/contacts/${contact.id}`, { config: { routing_key } })).status).toBe(200);
      const [entry] = await audit(contact.id);
      expect(entry).toMatchObject({ action: 'update', changed: ['config'] });
      expect(JSON.stringify(entry)).not.toContain('SSSSSSSS');
    });

    it('accepts another type only together with a config', async () => {
      const { id } = await create();
      const alone = await api.put<Refusal>(`/contacts/${id}`, { type: 'pagerduty' });
      expect([alone.status, alone.body.errors]).toEqual([
        400,
        [expect.objectContaining({ pointer: '/config', code: 'required' })],
      ]);
      const both = await api.put<ContactView>(`/contacts/${id}`, PAGER);
      expect(both.body).toMatchObject({ type: 'pagerduty', config: { routing_key: expect.stringMatching(/^\*{8}/) } });
    });

    it.each([
      [{ name: '' }, '/name'],
      [{ name: null }, '/name'],
      [{ default: null }, '/default'],
      [{ config: null }, '/config'],
      [{ config: { webhook_url: '********' } }, '/config/webhook_url'],
      [{ alert_defaults: { after: 86_401 } }, '/alert_defaults/after'],
      [{ alert_defaults: { name: 'x' } }, '/alert_defaults/name'],
      [{ alert_defaults: null }, '/alert_defaults'],
    ])('refuses to change a contact to %j', async (body, pointer) => {
      const contact = await create({ config: { webhook_url: 'https://hooks.slack.com/services/T1/B1/YYYY' } });
      const response = await api.put<Refusal>(`/contacts/${contact.id}`, body);
      expect([response.status, response.body.errors.map((error) => error.pointer)]).toEqual([400, [pointer]]);
      expect(await read(contact)).toEqual(contact);
    });

    it('answers 422 when the egress policy would never allow the new config', async () => {
      const { id } = await create();
      const config = { webhook_url: 'http://169.254.169.254/hook' };
      const response = await api.put<Refusal>(`/contacts/${id}`, { config });
      expect([response.status, response.body.code]).toEqual([422, 'target_not_allowed']);
    });
  });

  describe('DELETE /contacts/:id', () => {
    it('deletes a contact that nothing uses', async () => {
      const { id } = await create();
      expect((await api.delete(`/contacts/${id}`)).status).toBe(204);
      expect((await api.get(`/contacts/${id}`)).status).toBe(404);
      expect((await audit(id))[0]).toMatchObject({ action: 'delete', before: { name: 'Operations' } });
    });

    it('answers 409 with the count while alerts use it, and changes nothing', async () => {
      const contact = await create();
      await alertThrough(database, endpointId, contact.id);
      const one = await api.delete<Refusal>(`/contacts/${contact.id}`);
      expect([one.status, one.body.code]).toEqual([409, 'conflict']);
      expect(one.body.detail).toContain('1 alert rule uses');
      await alertThrough(database, endpointId, contact.id);
      const two = await api.delete<Refusal>(`/contacts/${contact.id}`);
      expect([two.status, two.body.detail]).toEqual([409, expect.stringContaining('2 alert rules use')]);
      expect(await read(contact)).toEqual({ ...contact, alert_count: 2 });
    });

    it('moves the alerts to the contact that replaces it, and records this in the audit log', async () => {
      const [gone, kept] = [await create(), await create({ ...PAGER, name: 'Pager' })];
      await alertThrough(database, endpointId, gone.id);
      expect((await api.delete(`/contacts/${gone.id}?replace_with=${kept.id}`)).status).toBe(204);
      expect((await api.get(`/contacts/${gone.id}`)).status).toBe(404);
      expect((await read(kept)).alert_count).toBe(1);
      expect((await audit(gone.id))[0]).toMatchObject({ action: 'delete', before: { replaced_with: kept.id } });
    });

    it('needs no replacement if there is nothing to move, and still accepts one', async () => {
      const [gone, kept] = [await create(), await create()];
      expect((await api.delete(`/contacts/${gone.id}?replace_with=${kept.id}`)).status).toBe(204);
      expect(await read(kept)).toEqual(kept);
    });

    it('refuses its own id and an invalid id as a replacement, and answers 404 for an unknown one', async () => {
      const { id } = await create();
      const foreign = await newContact(other.write);
      const replaced = async (by: string) => {
        const { status, body } = await api.delete<Refusal>(`/contacts/${id}?replace_with=${by}`);
        return [status, body.code];
      };
      expect(await replaced(id)).toEqual([400, 'invalid_query']);
      expect(await replaced('')).toEqual([400, 'invalid_query']);
      expect(await replaced(endpointId)).toEqual([400, 'invalid_query']);
      expect(await replaced(MISSING)).toEqual([404, 'not_found']);
      expect(await replaced(foreign)).toEqual([404, 'not_found']);
      expect((await api.get(`/contacts/${id}`)).status).toBe(200);
    });

    it('waits for an alert that is being created with the contact, and then keeps the contact', async () => {
      const [id, organization] = [await newContact(api), await orgId()];
      const { removal } = await database.transaction(async (tx) => {
        await app.app.get(ContactStore).hold(tx, organization, parseId('contact', id) ?? '');
        const removal = api.delete<Refusal>(`/contacts/${id}`);
        await alertThrough(tx, endpointId, id);
        return { removal };
      });
      expect((await removal).status).toBe(409);
    });

    it('either keeps a contact that gets an alert at the same time, or refuses the alert because the contact is deleted', async () => {
      const store = app.app.get(ContactStore);
      const organization = await orgId();
      for (let round = 0; round < 20; round++) {
        const id = await newContact(api);
        const making = () =>
          database.transaction(async (tx) => {
            await store.hold(tx, organization, parseId('contact', id) ?? '');
            await alertThrough(tx, endpointId, id);
            return 'made';
          });
        const made = making().catch(({ code }: { code: string }) => code);
        const [status, alert] = [(await api.delete(`/contacts/${id}`)).status, await made];
        expect(['409 made', '204 not_found']).toContain(`${status} ${alert}`);
      }
    });

    it('prevents a deadlock of two contacts that replace each other at the same time', async () => {
      for (let round = 0; round < 10; round++) {
        const [one, two] = [await newContact(api), await newContact(api)];
        const responses = await Promise.all([
          api.delete(`/contacts/${one}?replace_with=${two}`),
          api.delete(`/contacts/${two}?replace_with=${one}`),
        ]);
        expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
        expect(responses.filter(({ status }) => status === 404)).toHaveLength(1);
      }
    });
  });

  describe('limits', () => {
    /** Adds this many contacts directly to the database. */
    const fill = async (orgId: string, count: number): Promise<void> => {
      await database.query(
        `INSERT INTO contact (id, org_id, name, type, config)
         SELECT gen_random_uuid(), $1, 'c' || n, 'slack', '{"sealed": "plain:{}"}' FROM generate_series(1, $2::int) n`,
        [orgId, count],
      );
    };

    it('allows exactly as many of 20 parallel creations as there is room for in 1,000 contacts', async () => {
      const { write, orgId } = await app.organization('Many contacts');
      await fill(orgId, 995);
      const one = () => write.post<Refusal>('/contacts', { name: 'One more', ...SLACK });
      const responses = await Promise.all(Array.from({ length: 20 }, one));
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
      const refused = responses.filter(({ status }) => status === 409);
      expect(refused).toHaveLength(15);
      expect(refused[0]?.body).toMatchObject({
        code: 'quota_exceeded',
        quota: { name: 'contacts', limit: 1000, used: 1000 },
      });
      expect((await write.get('/contacts?limit=1')).headers['x-total-count']).toBe('1000');
    });

    it('allows exactly ten of 20 parallel requests to create or change a contact into a default one', async () => {
      const { write, orgId, read: reader } = await app.organization('Default contacts');
      const ids: string[] = [];
      for (let n = 0; n < 10; n++) ids.push(await newContact(write));
      await fill(orgId, 1);
      const responses = await Promise.all([
        ...ids.map((id) => write.put<Refusal>(`/contacts/${id}`, { default: true })),
        ...ids.map(() => write.post<Refusal>('/contacts', { name: 'Default', ...SLACK, default: true })),
      ]);
      expect(responses.filter(({ status }) => status < 300)).toHaveLength(10);
      const refused = responses.filter(({ status }) => status === 409);
      expect(refused[0]?.body).toMatchObject({
        code: 'quota_exceeded',
        quota: { name: 'default_contacts', limit: 10, used: 10 },
      });
      const all = (await reader.get<ContactView[]>('/contacts')).body;
      expect(all.filter((contact) => contact.default)).toHaveLength(10);
      const [chosen, plain] = [all.find((contact) => contact.default), all.find((contact) => !contact.default)];
      expect((await write.put(`/contacts/${chosen?.id}`, { name: 'Still one', default: true })).status).toBe(200);
      expect((await write.put(`/contacts/${chosen?.id}`, { default: false })).status).toBe(200);
      expect((await write.put(`/contacts/${plain?.id}`, { default: true })).status).toBe(200);
    });
  });
});
