import { idWith, timestamp } from '../session/forms';
import { expectFieldError, expectProblem, pointersOf, type Refusal } from '../session/problems';
import type { TheSession } from '../session/session';
import { newAlert, newContact, newEndpoint, type Thing, webhook } from '../session/things';

/** The nine alert types in the contract. */
const TYPES = ['email', 'webhook', 'slack', 'discord', 'teams', 'telegram', 'pagerduty', 'opsgenie', 'twilio'];

const WRONG: readonly [field: string, value: unknown, pointer: string, code: string][] = [
  ['endpoint_id', undefined, '/endpoint_id', 'required'],
  ['endpoint_id', 'ep_1', '/endpoint_id', 'invalid_format'],
  ['type', undefined, '/type', 'required'],
  ['type', 'WEBHOOK', '/type', 'unsupported_type'],
  ['config', undefined, '/config', 'required'],
  ['config', null, '/config', 'wrong_type'],
  ['config', {}, '/config/url', 'required'],
  ['config', { url: 'https://contract.example/', color: 'red' }, '/config/color', 'unknown_field'],
  ['failure_threshold', 0, '/failure_threshold', 'out_of_range'],
  ['failure_threshold', 101, '/failure_threshold', 'out_of_range'],
  ['failure_threshold', 2.5, '/failure_threshold', 'wrong_type'],
  ['failure_threshold', null, '/failure_threshold', 'wrong_type'],
  ['success_threshold', 0, '/success_threshold', 'out_of_range'],
  ['success_threshold', 101, '/success_threshold', 'out_of_range'],
  ['send_on_resolved', 'true', '/send_on_resolved', 'wrong_type'],
  ['description', 'x'.repeat(1001), '/description', 'too_long'],
  ['description', null, '/description', 'wrong_type'],
  ['enabled', 1, '/enabled', 'wrong_type'],
];

/** Tests section 5 of the contract, except for triggers. */
export function describeAlerts(session: TheSession): void {
  let endpointId: string;

  const minimal = () => ({ endpoint_id: endpointId, ...webhook(session()) });
  const post = (fields: object) => session().write.post<Thing>('/alerts', fields);
  const put = (id: string, fields: object) => session().write.put<Thing>(`/alerts/${id}`, fields);
  const made = (fields: object = {}) => newAlert(session(), fields, endpointId);

  describe('an alert', () => {
    beforeAll(async () => void (endpointId = (await newEndpoint(session(), { enabled: false })).id));

    it('is created from endpoint, type, and config with 201, a Location, and defaults for everything else', async () => {
      const sent = minimal();
      const { status, headers, body } = await post(sent);
      expect([status, session().leadsTo(headers['location'], '/api/v1/alerts')]).toEqual([
        201,
        `/api/v1/alerts/${body.id}`,
      ]);
      expect(body).toMatchObject({
        ...sent,
        id: idWith('al'),
        enabled: true,
        failure_threshold: 3,
        success_threshold: 2,
        send_on_resolved: true,
        description: '',
        triggered: false,
        created_at: timestamp(),
        updated_at: body['created_at'],
      });
    });

    it('keeps the fields that it is created with, and ignores read-only fields', async () => {
      const sent = {
        failure_threshold: 100,
        success_threshold: 1,
        send_on_resolved: false,
        description: 'Runbook:\nsecond line',
        enabled: false,
      };
      const alert = await made({ ...sent, id: 'al_x', triggered: true, created_at: 'x' });
      expect(alert).toMatchObject({ ...sent, id: idWith('al'), triggered: false });
      expect((await session().write.get(`/alerts/${alert.id}`)).body).toMatchObject({ ...sent, id: alert.id });
    });

    it.each(WRONG)('with the %s %j is refused at %s as %s', async (field, value, pointer, code) => {
      expectFieldError(await post({ ...minimal(), [field]: value }), pointer, code);
    });

    it('is refused with a list of the types if its type is unknown', async () => {
      // The service under test may have a channel with any fixed name, so this name is derived from the known types.
      const response = await post({ ...minimal(), type: TYPES.reduce((none, type) => `${none}-${type}`, 'none-of') });
      expectFieldError(response, '/type', 'unsupported_type');
      const { body } = response as unknown as Refusal;
      const told = body?.errors?.map(({ message }) => message).join() ?? '';
      expect(TYPES.filter((type) => !told.includes(type))).toEqual([]);
    });

    it('is refused with all wrong fields at once', async () => {
      const response = await post({ type: 5, config: 'x', failure_threshold: 0, nonsense: 1 });
      expect(pointersOf(response)).toEqual(['/config', '/endpoint_id', '/failure_threshold', '/nonsense', '/type']);
    });

    it('gets 404 if its endpoint does not exist', async () => {
      const { id } = await newEndpoint(session(), { enabled: false });
      await session().write.delete(`/endpoints/${id}`);
      expectProblem(await post({ ...minimal(), endpoint_id: id }), 404, 'not_found');
    });

    it('is never allowed to notify the metadata service of a cloud', async () => {
      const config = { url: 'http://169.254.169.254/hook' };
      expectProblem(await post({ ...minimal(), config }), 422, 'target_not_allowed');
    });

    it('changes only in the fields that are sent', async () => {
      const { id } = await made();
      const before = (await session().write.get<Thing>(`/alerts/${id}`)).body;
      const { status, body } = await put(id, { failure_threshold: 5 });
      expect([status, body]).toEqual([200, { ...before, failure_threshold: 5, updated_at: timestamp() }]);
    });

    it('can be sent back as it was read', async () => {
      const { id } = await made();
      const before = (await session().write.get<Thing>(`/alerts/${id}`)).body;
      const { status, body } = await put(id, { ...before, triggered: true, created_at: 'x' });
      expect([status, body]).toEqual([200, { ...before, updated_at: timestamp() }]);
    });

    it('keeps its endpoint: another one is refused as immutable, the same one is accepted', async () => {
      const { id } = await made();
      const other = await newEndpoint(session(), { enabled: false });
      expectFieldError(await put(id, { endpoint_id: other.id }), '/endpoint_id', 'immutable');
      expect((await put(id, { endpoint_id: endpointId })).status).toBe(200);
    });

    it('accepts another type only together with a config', async () => {
      const { id } = await made();
      expectFieldError(await put(id, { type: 'pagerduty' }), '/config', 'required');
      const both = await put(id, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      expect(both.body).toMatchObject({ type: 'pagerduty' });
    });

    it('is deleted once, with 204 and no body', async () => {
      const { id } = await made();
      const { status, text } = await session().write.delete(`/alerts/${id}`);
      expect([status, text]).toEqual([204, '']);
      expectProblem(await session().write.delete(`/alerts/${id}`), 404, 'not_found');
    });

    it('is listed by each filter and by all filters together', async () => {
      const contact = await newContact(session());
      const endpoint = await newEndpoint(session(), { enabled: false });
      const [own, shared] = [
        await newAlert(session(), { enabled: false }, endpoint.id),
        await newAlert(session(), { type: undefined, config: undefined, contact_id: contact.id }, endpoint.id),
      ];
      const listed = async (query: string) =>
        (await session().read.get<Thing[]>(`/alerts?${query}`)).body.map(({ id }) => id);
      const websiteId = String(endpoint['website_id']);
      expect(await listed(`endpoint_id=${endpoint.id}`)).toEqual([own.id, shared.id]);
      expect(await listed(`website_id=${websiteId}&triggered=false&type=webhook`)).toEqual([own.id, shared.id]);
      expect(await listed(`website_id=${websiteId}&enabled=false`)).toEqual([own.id]);
      expect(await listed(`contact_id=${contact.id}`)).toEqual([shared.id]);
      expect(await listed(`endpoint_id=${endpoint.id}&triggered=true`)).toEqual([]);
    });
  });
}
