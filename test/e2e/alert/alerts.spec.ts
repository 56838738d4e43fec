/** @databases both */
import type { AlertView } from '../../../src/alert/alert.dto';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { formatId, newUuid } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const WEBHOOK_URL = 'https://hooks.slack.com/services/T000/B000/XXXX';
const SLACK = { type: 'slack', config: { webhook_url: WEBHOOK_URL } };

interface FieldErrors {
  code: string;
  errors: { pointer: string; code: string; message: string }[];
}

describe('alerts', () => {
  let service: TestApp;
  let api: Api;
  let other: ServiceOrganization;
  let websiteId: string;
  let endpointId: string;
  let otherEndpointId: string;

  beforeAll(async () => {
    service = await startOwnApp({ role: 'api', egressPrivate: 'auto' });
    api = service.write;
    other = await service.organization('Other');
    websiteId = await newWebsite(api);
    endpointId = await newEndpoint(api, websiteId);
    otherEndpointId = await newEndpoint(other.write, await newWebsite(other.write));
  });
  afterAll(() => service.close());

  const create = async (body: object = {}, by: Api = api) => {
    const endpoint_id = by === api ? endpointId : otherEndpointId;
    const response = await by.post<AlertView>('/alerts', { endpoint_id, ...SLACK, ...body });
    expect(response.status).toBe(201);
    return response.body;
  };

  describe('POST /alerts', () => {
    it('creates an alert with all defaults and answers 201 with every field and its Location', async () => {
      const response = await api.post<AlertView>('/alerts', { endpoint_id: endpointId, ...SLACK });
      expect(response.status).toBe(201);
      expect(response.headers['location']).toBe(`/api/v1/alerts/${response.body.id}`);
      expect(response.body).toEqual({
        id: expect.stringMatching(/^al_[0-9a-hjkmnp-tv-z]{26}$/),
        endpoint_id: endpointId,
        type: 'slack',
        enabled: true,
        config: { webhook_url: WEBHOOK_URL },
        condition: 'down',
        contact_id: null,
        after: 0,
        remind_every: null,
        failure_threshold: 3,
        success_threshold: 2,
        send_on_resolved: true,
        description: '',
        key: null,
        owner: null,
        triggered: false,
        destination: 'hooks.slack.com',
        cannot_send: null,
        last_delivery: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: response.body.created_at,
      });
      expect((await api.get(`/alerts/${response.body.id}`)).body).toEqual(response.body);
    });

    it('creates an alert from the request and ignores read-only fields', async () => {
      const sent = {
        failure_threshold: 100,
        success_threshold: 1,
        send_on_resolved: false,
        description: 'Runbook: wiki\nsecond line 🚨',
        enabled: false,
      };
      const alert = await create({ ...sent, id: 'al_x', triggered: true, created_at: '2001-01-01', updated_at: null });
      expect(alert).toMatchObject({ ...sent, triggered: false });
      expect(alert.id).not.toBe('al_x');
      expect(alert.created_at).not.toContain('2001');
    });

    it('shows a generated secret only in the response of the request that created the alert', async () => {
      const { id, config } = await create({ type: 'webhook', config: { url: 'https://example.com/hook' } });
      expect(config).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
      const { body } = await api.get<AlertView>(`/alerts/${id}`);
      expect(body.config).toMatchObject({ secret: expect.stringMatching(/^\*{8}/) });
    });
  });

  describe('POST /alerts with an invalid body', () => {
    const bad: [string, object, string, string][] = [
      ['endpoint_id missing', { endpoint_id: undefined }, '/endpoint_id', 'required'],
      ['endpoint_id malformed', { endpoint_id: 'ep_1' }, '/endpoint_id', 'invalid_format'],
      [
        'endpoint_id of another kind',
        { endpoint_id: formatId('website', newUuid()) },
        '/endpoint_id',
        'invalid_format',
      ],
      ['endpoint_id a list', { endpoint_id: [] }, '/endpoint_id', 'invalid_format'],
      ['endpoint_id null', { endpoint_id: null }, '/endpoint_id', 'invalid_format'],
      ['type missing', { type: undefined }, '/type', 'required'],
      ['type unknown', { type: 'pigeon' }, '/type', 'unsupported_type'],
      ['type in upper case', { type: 'SLACK' }, '/type', 'unsupported_type'],
      ['type of a prototype', { type: 'constructor' }, '/type', 'unsupported_type'],
      ['type null', { type: null }, '/type', 'wrong_type'],
      ['config missing', { config: undefined }, '/config', 'required'],
      ['config null', { config: null }, '/config', 'wrong_type'],
      ['config a string', { config: WEBHOOK_URL }, '/config', 'wrong_type'],
      ['config a list', { config: [] }, '/config', 'wrong_type'],
      ['config empty', { config: {} }, '/config/webhook_url', 'required'],
      [
        'config with an unknown key',
        { config: { webhook_url: WEBHOOK_URL, color: 'red' } },
        '/config/color',
        'unknown_field',
      ],
      ['failure_threshold 0', { failure_threshold: 0 }, '/failure_threshold', 'out_of_range'],
      ['failure_threshold -1', { failure_threshold: -1 }, '/failure_threshold', 'out_of_range'],
      ['failure_threshold 101', { failure_threshold: 101 }, '/failure_threshold', 'out_of_range'],
      ['failure_threshold text', { failure_threshold: '3' }, '/failure_threshold', 'wrong_type'],
      ['failure_threshold 2.5', { failure_threshold: 2.5 }, '/failure_threshold', 'wrong_type'],
      ['failure_threshold null', { failure_threshold: null }, '/failure_threshold', 'wrong_type'],
      ['success_threshold 0', { success_threshold: 0 }, '/success_threshold', 'out_of_range'],
      ['success_threshold 101', { success_threshold: 101 }, '/success_threshold', 'out_of_range'],
      ['success_threshold 1e9', { success_threshold: 1e9 }, '/success_threshold', 'out_of_range'],
      ['send_on_resolved text', { send_on_resolved: 'true' }, '/send_on_resolved', 'wrong_type'],
      ['send_on_resolved null', { send_on_resolved: null }, '/send_on_resolved', 'wrong_type'],
      ['description too long', { description: 'x'.repeat(1001) }, '/description', 'too_long'],
      ['description null', { description: null }, '/description', 'wrong_type'],
      ['description with NUL', { description: 'a\0b' }, '/description', 'invalid_characters'],
      ['enabled 1', { enabled: 1 }, '/enabled', 'wrong_type'],
      ['an unknown field', { organization_id: 'org_x' }, '/organization_id', 'unknown_field'],
    ];

    it.each(bad)('refuses to create an alert: %s', async (_, change, pointer, code) => {
      const response = await api.post<FieldErrors>('/alerts', { endpoint_id: endpointId, ...SLACK, ...change });
      expect(response.status).toBe(400);
      expect(response.body.code).toBe('validation_failed');
      expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
    });

    it('reports all field errors of an alert at once', async () => {
      const { body } = await api.post<FieldErrors>('/alerts', {
        type: 5,
        config: 'x',
        failure_threshold: 0,
        success_threshold: 0,
        enabled: 'no',
        extra: 1,
      });
      expect(body.errors.map(({ pointer }) => pointer).sort()).toEqual(
        ['/config', '/enabled', '/endpoint_id', '/extra', '/failure_threshold', '/success_threshold', '/type'].sort(),
      );
    });

    it('lists the channel types when the type of an alert is unknown', async () => {
      const { body } = await api.post<FieldErrors>('/alerts', { endpoint_id: endpointId, ...SLACK, type: 'pigeon' });
      for (const type of SPEC_CHANNEL_TYPES) expect(body.errors[0]?.message).toContain(type);
    });

    it('answers the same 404 for an alert on an endpoint that is unknown, deleted or of another organization', async () => {
      const deleted = await newEndpoint(api, websiteId);
      await api.delete(`/endpoints/${deleted}`);
      for (const endpoint_id of [formatId('endpoint', newUuid()), deleted, otherEndpointId]) {
        const response = await api.post<FieldErrors>('/alerts', { endpoint_id, ...SLACK });
        expect([response.status, response.body.code]).toEqual([404, 'not_found']);
      }
    });

    it('answers 422 when the egress policy would never allow a delivery of the alert', async () => {
      const metadata = {
        endpoint_id: endpointId,
        type: 'slack',
        config: { webhook_url: 'http://169.254.169.254/hook' },
      };
      const response = await api.post<FieldErrors>('/alerts', metadata);
      expect([response.status, response.body.code]).toEqual([422, 'target_not_allowed']);
      expect(response.body.errors[0]?.pointer).toBe('/config/webhook_url');
      const privateHost = {
        endpoint_id: otherEndpointId,
        type: 'slack',
        config: { webhook_url: 'http://10.0.0.1/hook' },
      };
      expect((await other.write.post('/alerts', privateHost)).status).toBe(422);
      const allowed = await create({ config: { webhook_url: 'http://10.0.0.1/hook' } });
      expect(allowed.config).toEqual({ webhook_url: 'http://10.0.0.1/hook' });
    });
  });

  describe('PUT /alerts/:id', () => {
    it('updates only the fields of an alert that were sent, and updated_at', async () => {
      const alert = await create();
      const response = await api.put<AlertView>(`/alerts/${alert.id}`, { failure_threshold: 5 });
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ ...alert, failure_threshold: 5, updated_at: response.body.updated_at });
      expect(Date.parse(response.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(alert.updated_at));
    });

    it('leaves an alert unchanged when nothing or the same values are sent', async () => {
      const alert = await create({ type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      expect((await api.put(`/alerts/${alert.id}`, {})).body).toEqual(alert);
      expect((await api.put(`/alerts/${alert.id}`, alert)).body).toEqual(alert);
    });

    it('keeps the stored credential when its mask is sent back', async () => {
      const token = `${'1'.repeat(10)}:${'a'.repeat(35)}`;
      const alert = await create({ type: 'telegram', config: { bot_token: token, chat_id: '@ops' } });
      expect(JSON.stringify(alert)).not.toContain(token);
      const changed = { ...alert.config, chat_id: '@oncall' };
      const response = await api.put<AlertView>(`/alerts/${alert.id}`, { config: changed });
      expect(response.status).toBe(200);
      expect(response.body.config).toEqual(changed);
    });

    it('refuses a mask that does not match the stored credential', async () => {
      const alert = await create({ type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      const response = await api.put<FieldErrors>(`/alerts/${alert.id}`, { config: { routing_key: '********ABCD' } });
      expect([response.status, response.body.errors[0]?.pointer]).toEqual([400, '/config/routing_key']);
    });

    it('accepts another type only together with a config', async () => {
      const { id } = await create();
      const alone = await api.put<FieldErrors>(`/alerts/${id}`, { type: 'pagerduty' });
      expect(alone.status).toBe(400);
      expect(alone.body.errors).toEqual([expect.objectContaining({ pointer: '/config', code: 'required' })]);
      const wrong = await api.put<FieldErrors>(`/alerts/${id}`, {
        type: 'pagerduty',
        config: { webhook_url: WEBHOOK_URL },
      });
      expect(wrong.status).toBe(400);
      const both = { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } };
      expect((await api.put<AlertView>(`/alerts/${id}`, both)).body).toMatchObject({ type: 'pagerduty' });
      expect((await api.put<AlertView>(`/alerts/${id}`, { type: 'pagerduty', enabled: false })).status).toBe(200);
    });

    it('refuses to move an alert to another endpoint, and ignores read-only fields', async () => {
      const alert = await create();
      const elsewhere = await newEndpoint(api, websiteId);
      const response = await api.put<FieldErrors>(`/alerts/${alert.id}`, { endpoint_id: elsewhere });
      expect(response.status).toBe(400);
      expect(response.body.errors).toEqual([expect.objectContaining({ pointer: '/endpoint_id', code: 'immutable' })]);
      const ignored = { id: 'al_x', triggered: true, created_at: 'x', updated_at: 'x', endpoint_id: endpointId };
      expect((await api.put(`/alerts/${alert.id}`, ignored)).body).toEqual(alert);
    });

    it.each([
      [{ failure_threshold: 0 }, '/failure_threshold'],
      [{ success_threshold: '2' }, '/success_threshold'],
      [{ enabled: 'false' }, '/enabled'],
      [{ enabled: null }, '/enabled'],
      [{ type: null }, '/type'],
      [{ type: 'pigeon', config: {} }, '/type'],
      [{ config: null }, '/config'],
      [{ config: { webhook_url: 'file:///etc/passwd' } }, '/config/webhook_url'],
      [{ endpoint_id: 'nonsense' }, '/endpoint_id'],
      [{ endpoint_count: 1 }, '/endpoint_count'],
    ])('refuses to update an alert with %j', async (body, pointer) => {
      const { id } = await create();
      const response = await api.put<FieldErrors>(`/alerts/${id}`, body);
      expect(response.status).toBe(400);
      expect(response.body.errors.map((error) => error.pointer)).toContain(pointer);
    });

    it('loses no update when clients change different fields of an alert at once', async () => {
      const { id } = await create();
      await Promise.all([
        api.put(`/alerts/${id}`, { failure_threshold: 7 }),
        api.put(`/alerts/${id}`, { success_threshold: 8 }),
        api.put(`/alerts/${id}`, { description: 'nine' }),
      ]);
      const { body } = await api.get<AlertView>(`/alerts/${id}`);
      expect(body).toMatchObject({ failure_threshold: 7, success_threshold: 8, description: 'nine' });
    });
  });

  it('deletes an alert once, then answers 404', async () => {
    const { id } = await create();
    const response = await api.delete(`/alerts/${id}`);
    expect([response.status, response.text]).toEqual([204, '']);
    expect((await api.delete(`/alerts/${id}`)).status).toBe(404);
    expect((await api.get(`/alerts/${id}`)).status).toBe(404);
    expect((await api.put(`/alerts/${id}`, { enabled: false })).status).toBe(404);
  });

  it('deletes alerts with their endpoint', async () => {
    const endpoint_id = await newEndpoint(api, websiteId);
    const { id } = await create({ endpoint_id });
    expect((await api.delete(`/endpoints/${endpoint_id}`)).status).toBe(204);
    expect((await api.get(`/alerts/${id}`)).status).toBe(404);
  });

  describe('isolation', () => {
    it('answers 404 for alerts of another organization and for unknown ids', async () => {
      const { id } = await create({}, other.write);
      for (const response of [
        await api.get(`/alerts/${id}`),
        await api.put(`/alerts/${id}`, { enabled: false }),
        await api.delete(`/alerts/${id}`),
        await api.get('/alerts/al_nonsense'),
        await api.get(`/alerts/${formatId('endpoint', newUuid())}`),
        await api.get(`/alerts/${formatId('alert', newUuid())}`),
      ]) {
        expect(response.status).toBe(404);
      }
      expect((await other.read.get<AlertView>(`/alerts/${id}`)).body.enabled).toBe(true);
    });
  });

  describe('roles', () => {
    it('requires a key to read alerts, and a write key to change them', async () => {
      const { id } = await create();
      expect((await service.anonymous.get('/alerts')).status).toBe(401);
      expect((await service.anonymous.post('/alerts', {})).status).toBe(401);
      expect((await service.read.post('/alerts', { endpoint_id: endpointId, ...SLACK })).status).toBe(403);
      expect((await service.read.put(`/alerts/${id}`, { enabled: false })).status).toBe(403);
      expect((await service.read.delete(`/alerts/${id}`)).status).toBe(403);
      expect((await service.read.get(`/alerts/${id}`)).status).toBe(200);
    });

    it('shows addresses of a config to write and admin keys only, and credentials to no key', async () => {
      const slack = await create();
      const pager = await create({ type: 'pagerduty', config: { routing_key: 'S3CR3T'.padEnd(32, 'x') } });
      for (const [by, shown] of [
        [service.read, false],
        [service.write, true],
        [service.admin, true],
      ] as const) {
        expect((await by.get(`/alerts/${slack.id}`)).text.includes('/services/T000')).toBe(shown);
        expect((await by.get(`/alerts/${pager.id}`)).text).not.toContain('S3CR3T');
      }
    });
  });

  describe('GET /alerts', () => {
    let owner: ServiceOrganization;
    let website: string;
    let endpoints: string[];
    let all: AlertView[];

    beforeAll(async () => {
      owner = await service.organization('Lists');
      website = await newWebsite(owner.write);
      endpoints = [
        await newEndpoint(owner.write, website),
        await newEndpoint(owner.write, website),
        await newEndpoint(owner.write, await newWebsite(owner.write)),
      ];
      all = [];
      for (const endpoint_id of endpoints) {
        for (const body of [
          SLACK,
          { ...SLACK, enabled: false },
          { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } },
        ]) {
          const { body: alert } = await owner.write.post<AlertView>('/alerts', { endpoint_id, ...body });
          all.push(alert);
        }
      }
    });

    async function found(query: string): Promise<string[]> {
      const response = await owner.write.get<AlertView[]>(`/alerts?${query}`);
      expect(response.headers['x-total-count']).toBe(String(response.body.length));
      return response.body.map(({ id }) => id);
    }

    function those(keep: (alert: AlertView) => boolean): string[] {
      return all.filter(keep).map(({ id }) => id);
    }

    it('lists alerts oldest first, with their total count', async () => {
      const response = await owner.write.get<AlertView[]>('/alerts');
      expect(response.status).toBe(200);
      expect(response.body).toEqual(all);
      expect(response.headers['x-total-count']).toBe('9');
      expect(response.headers['x-next-cursor']).toBeUndefined();
    });

    it('lists alerts page by page', async () => {
      const seen: string[] = [];
      let path = '/alerts?limit=4&enabled=true';
      for (;;) {
        const response = await owner.write.get<AlertView[]>(path);
        expect(response.headers['x-total-count']).toBe('6');
        seen.push(...response.body.map(({ id }) => id));
        const next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(response.headers['link'] ?? '')?.[1];
        if (next === undefined) break;
        path = next;
      }
      expect(seen).toEqual(all.filter(({ enabled }) => enabled).map(({ id }) => id));
    });

    it('filters the list of alerts by each parameter and by all together', async () => {
      const inWebsite = ({ endpoint_id }: AlertView) => endpoint_id === endpoints[0] || endpoint_id === endpoints[1];
      expect(await found(`endpoint_id=${endpoints[0]}`)).toEqual(
        those(({ endpoint_id }) => endpoint_id === endpoints[0]),
      );
      expect(await found(`website_id=${website}`)).toEqual(those(inWebsite));
      expect(await found('type=pagerduty')).toEqual(those(({ type }) => type === 'pagerduty'));
      expect(await found('enabled=false')).toEqual(those(({ enabled }) => !enabled));
      expect(await found('triggered=false')).toEqual(those(() => true));
      expect(await found('triggered=true')).toEqual([]);
      expect(
        await found(`website_id=${website}&endpoint_id=${endpoints[1]}&type=slack&enabled=true&triggered=false`),
      ).toEqual(those(({ endpoint_id, type, enabled }) => endpoint_id === endpoints[1] && type === 'slack' && enabled));
      expect(await found(`website_id=${website}&endpoint_id=${endpoints[2]}`)).toEqual([]);
      expect(await found(`endpoint_id=${otherEndpointId}`)).toEqual([]);
    });

    it.each([
      'limit=0',
      'limit=1001',
      'limit=ten',
      'limit=1&limit=2',
      'enabled=yes',
      'triggered=1',
      'endpoint_id=nonsense',
      'website_id=ep_01jd3k6q7be5y9x4v2m8n0r1st',
      'colour=red',
      'cursor=nonsense',
    ])('refuses GET /alerts?%s', async (query) => {
      const response = await owner.write.get<FieldErrors>(`/alerts?${query}`);
      expect(response.status).toBe(400);
      expect(response.body.code).toBe(query.startsWith('cursor') ? 'invalid_cursor' : 'invalid_query');
    });

    it('refuses a cursor of alerts from another organization or list', async () => {
      const { headers } = await owner.write.get('/alerts?limit=1');
      const cursor = headers['x-next-cursor'] ?? '';
      expect((await other.write.get(`/alerts?cursor=${cursor}`)).status).toBe(400);
      expect((await owner.write.get(`/alerts/events?cursor=${cursor}`)).status).toBe(400);
    });

    it('lists only alerts of the caller’s organization', async () => {
      const ids = (await other.write.get<AlertView[]>('/alerts')).body.map(({ id }) => id);
      for (const { id } of all) expect(ids).not.toContain(id);
    });
  });

  it('describes the body of an alert per channel in the API reference', async () => {
    const { body } = await service.anonymous.get<{ components: { schemas: Record<string, unknown> } }>('/openapi.json');
    const { schemas } = body.components;
    expect(schemas['CreateAlertWithConfig']).toMatchObject({ discriminator: { propertyName: 'type' } });
    const { oneOf, discriminator } = schemas['CreateAlertWithConfig'] as {
      oneOf: { $ref: string }[];
      discriminator: { mapping: Record<string, string> };
    };
    expect(Object.keys(discriminator.mapping)).toEqual([...SPEC_CHANNEL_TYPES]);
    for (const { $ref } of oneOf) expect(schemas).toHaveProperty($ref.replace('#/components/schemas/', ''));
  });
});
