import type { AlertView } from '../../../src/alert/alert.dto';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { formatId, newUuid } from '../../../src/platform/ids/id';
import { type Api, startApp, type TestApp, type TestOrganization } from '../../harness/app/app';
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
  let other: TestOrganization;
  let websiteId: string;
  let endpointId: string;
  let otherEndpointId: string;

  beforeAll(async () => {
    service = await startApp({ role: 'api', egressPrivate: 'auto' });
    api = service.write;
    other = await service.organization('Other');
    websiteId = await newWebsite(api);
    endpointId = await newEndpoint(api, websiteId);
    otherEndpointId = await newEndpoint(other.write, await newWebsite(other.write));
  });
  afterAll(() => service.close());

  const create = async (body: object = {}, by: Api = api) => {
    const endpoint_id = by === api ? endpointId : otherEndpointId;
    const answer = await by.post<AlertView>('/alerts', { endpoint_id, ...SLACK, ...body });
    expect(answer.status).toBe(201);
    return answer.body;
  };

  describe('created', () => {
    it('answer 201 with every field, its defaults and their address', async () => {
      const answer = await api.post<AlertView>('/alerts', { endpoint_id: endpointId, ...SLACK });
      expect(answer.status).toBe(201);
      expect(answer.headers['location']).toBe(`/api/v1/alerts/${answer.body.id}`);
      expect(answer.body).toEqual({
        id: expect.stringMatching(/^al_[0-9a-hjkmnp-tv-z]{26}$/),
        endpoint_id: endpointId,
        type: 'slack',
        enabled: true,
        config: { webhook_url: WEBHOOK_URL },
        failure_threshold: 3,
        success_threshold: 2,
        send_on_resolved: true,
        description: '',
        triggered: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: answer.body.created_at,
      });
      expect((await api.get(`/alerts/${answer.body.id}`)).body).toEqual(answer.body);
    });

    it('keep what was sent and ignore read-only fields', async () => {
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

    it('show a generated secret in the answer of that very request only', async () => {
      const { id, config } = await create({ type: 'webhook', config: { url: 'https://example.com/hook' } });
      expect(config).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
      const { body } = await api.get<AlertView>(`/alerts/${id}`);
      expect(body.config).toMatchObject({ secret: expect.stringMatching(/^\*{8}/) });
    });
  });

  describe('refused', () => {
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

    it.each(bad)('with 400 when created with %s', async (_, change, pointer, code) => {
      const answer = await api.post<FieldErrors>('/alerts', { endpoint_id: endpointId, ...SLACK, ...change });
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe('validation_failed');
      expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
    });

    it('with all field errors at once', async () => {
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

    it('with the types there are, when the type is unknown', async () => {
      const { body } = await api.post<FieldErrors>('/alerts', { endpoint_id: endpointId, ...SLACK, type: 'pigeon' });
      for (const type of SPEC_CHANNEL_TYPES) expect(body.errors[0]?.message).toContain(type);
    });

    it('with 404 for an endpoint that is unknown, deleted or foreign, always the same', async () => {
      const deleted = await newEndpoint(api, websiteId);
      await api.delete(`/endpoints/${deleted}`);
      for (const endpoint_id of [formatId('endpoint', newUuid()), deleted, otherEndpointId]) {
        const answer = await api.post<FieldErrors>('/alerts', { endpoint_id, ...SLACK });
        expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      }
    });

    it('with 422 when the egress policy would never let a message out', async () => {
      const metadata = {
        endpoint_id: endpointId,
        type: 'slack',
        config: { webhook_url: 'http://169.254.169.254/hook' },
      };
      const answer = await api.post<FieldErrors>('/alerts', metadata);
      expect([answer.status, answer.body.code]).toEqual([422, 'target_not_allowed']);
      expect(answer.body.errors[0]?.pointer).toBe('/config/webhook_url');
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

  describe('updated', () => {
    it('change only what is sent, and updated_at with it', async () => {
      const alert = await create();
      const answer = await api.put<AlertView>(`/alerts/${alert.id}`, { failure_threshold: 5 });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...alert, failure_threshold: 5, updated_at: answer.body.updated_at });
      expect(Date.parse(answer.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(alert.updated_at));
    });

    it('stay as they are when nothing or the same is sent', async () => {
      const alert = await create({ type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      expect((await api.put(`/alerts/${alert.id}`, {})).body).toEqual(alert);
      expect((await api.put(`/alerts/${alert.id}`, alert)).body).toEqual(alert);
    });

    it('keep the stored credential when its mask is sent back', async () => {
      const token = `${'1'.repeat(10)}:${'a'.repeat(35)}`;
      const alert = await create({ type: 'telegram', config: { bot_token: token, chat_id: '@ops' } });
      expect(JSON.stringify(alert)).not.toContain(token);
      const changed = { ...alert.config, chat_id: '@oncall' };
      const answer = await api.put<AlertView>(`/alerts/${alert.id}`, { config: changed });
      expect(answer.status).toBe(200);
      expect(answer.body.config).toEqual(changed);
    });

    it('refuse a mask that stands for nothing stored', async () => {
      const alert = await create({ type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      const answer = await api.put<FieldErrors>(`/alerts/${alert.id}`, { config: { routing_key: '********ABCD' } });
      expect([answer.status, answer.body.errors[0]?.pointer]).toEqual([400, '/config/routing_key']);
    });

    it('take another type only together with its config', async () => {
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

    it('refuse another endpoint, and ignore read-only fields', async () => {
      const alert = await create();
      const elsewhere = await newEndpoint(api, websiteId);
      const answer = await api.put<FieldErrors>(`/alerts/${alert.id}`, { endpoint_id: elsewhere });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: '/endpoint_id', code: 'immutable' })]);
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
    ])('refuse %j', async (body, pointer) => {
      const { id } = await create();
      const answer = await api.put<FieldErrors>(`/alerts/${id}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors.map((error) => error.pointer)).toContain(pointer);
    });

    it('lose nothing when two clients change different fields at once', async () => {
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

  it('are deleted once', async () => {
    const { id } = await create();
    const answer = await api.delete(`/alerts/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await api.delete(`/alerts/${id}`)).status).toBe(404);
    expect((await api.get(`/alerts/${id}`)).status).toBe(404);
    expect((await api.put(`/alerts/${id}`, { enabled: false })).status).toBe(404);
  });

  it('go with their endpoint', async () => {
    const endpoint_id = await newEndpoint(api, websiteId);
    const { id } = await create({ endpoint_id });
    expect((await api.delete(`/endpoints/${endpoint_id}`)).status).toBe(204);
    expect((await api.get(`/alerts/${id}`)).status).toBe(404);
  });

  describe('of others', () => {
    it('do not exist', async () => {
      const { id } = await create({}, other.write);
      for (const answer of [
        await api.get(`/alerts/${id}`),
        await api.put(`/alerts/${id}`, { enabled: false }),
        await api.delete(`/alerts/${id}`),
        await api.get('/alerts/al_nonsense'),
        await api.get(`/alerts/${formatId('endpoint', newUuid())}`),
        await api.get(`/alerts/${formatId('alert', newUuid())}`),
      ]) {
        expect(answer.status).toBe(404);
      }
      expect((await other.read.get<AlertView>(`/alerts/${id}`)).body.enabled).toBe(true);
    });
  });

  describe('by role', () => {
    it('need a key, and a write key to change', async () => {
      const { id } = await create();
      expect((await service.anonymous.get('/alerts')).status).toBe(401);
      expect((await service.anonymous.post('/alerts', {})).status).toBe(401);
      expect((await service.read.post('/alerts', { endpoint_id: endpointId, ...SLACK })).status).toBe(403);
      expect((await service.read.put(`/alerts/${id}`, { enabled: false })).status).toBe(403);
      expect((await service.read.delete(`/alerts/${id}`)).status).toBe(403);
      expect((await service.read.get(`/alerts/${id}`)).status).toBe(200);
    });

    it('show addresses to write and admin keys, and credentials to nobody', async () => {
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

  describe('listed', () => {
    let owner: TestOrganization;
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
      const answer = await owner.write.get<AlertView[]>(`/alerts?${query}`);
      expect(answer.headers['x-total-count']).toBe(String(answer.body.length));
      return answer.body.map(({ id }) => id);
    }

    function those(keep: (alert: AlertView) => boolean): string[] {
      return all.filter(keep).map(({ id }) => id);
    }

    it('come oldest first, with their number', async () => {
      const answer = await owner.write.get<AlertView[]>('/alerts');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(all);
      expect(answer.headers['x-total-count']).toBe('9');
      expect(answer.headers['x-next-cursor']).toBeUndefined();
    });

    it('come page by page', async () => {
      const seen: string[] = [];
      let path = '/alerts?limit=4&enabled=true';
      for (;;) {
        const answer = await owner.write.get<AlertView[]>(path);
        expect(answer.headers['x-total-count']).toBe('6');
        seen.push(...answer.body.map(({ id }) => id));
        const next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1];
        if (next === undefined) break;
        path = next;
      }
      expect(seen).toEqual(all.filter(({ enabled }) => enabled).map(({ id }) => id));
    });

    it('can be narrowed by each filter and by all', async () => {
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
    ])('refuse ?%s', async (query) => {
      const answer = await owner.write.get<FieldErrors>(`/alerts?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe(query.startsWith('cursor') ? 'invalid_cursor' : 'invalid_query');
    });

    it('refuse the cursor of another organization or list', async () => {
      const { headers } = await owner.write.get('/alerts?limit=1');
      const cursor = headers['x-next-cursor'] ?? '';
      expect((await other.write.get(`/alerts?cursor=${cursor}`)).status).toBe(400);
      expect((await owner.write.get(`/alerts/events?cursor=${cursor}`)).status).toBe(400);
    });

    it('are those of the own organization only', async () => {
      const ids = (await other.write.get<AlertView[]>('/alerts')).body.map(({ id }) => id);
      for (const { id } of all) expect(ids).not.toContain(id);
    });
  });

  it('are described per channel in the API reference', async () => {
    const { body } = await service.anonymous.get<{ components: { schemas: Record<string, unknown> } }>('/openapi.json');
    const { schemas } = body.components;
    expect(schemas['CreateAlertDto']).toMatchObject({ discriminator: { propertyName: 'type' } });
    const { oneOf, discriminator } = schemas['CreateAlertDto'] as {
      oneOf: { $ref: string }[];
      discriminator: { mapping: Record<string, string> };
    };
    expect(Object.keys(discriminator.mapping)).toEqual([...SPEC_CHANNEL_TYPES]);
    for (const { $ref } of oneOf) expect(schemas).toHaveProperty($ref.replace('#/components/schemas/', ''));
  });
});
