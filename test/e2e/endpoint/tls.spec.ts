import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { TlsAuthority } from '../../harness/servers/tls-authority';

interface Tls {
  verify: boolean;
  ca: string | null;
  server_name: string | null;
  warn_days: number | null;
}
interface Endpoint {
  id: string;
  tls: Tls;
}
interface Problem {
  code: string;
  errors: { pointer: string; code: string; message: string }[];
}

const NAS = { name: 'NAS', type: 'HTTPS', url: 'https://nas.example.com/' };
const DEFAULTS: Tls = { verify: true, ca: null, server_name: null, warn_days: 14 };
const UNVERIFIED: Tls = { ...DEFAULTS, verify: false };

describe('the TLS settings of an endpoint', () => {
  let app: TestApp;
  let authority: TlsAuthority;
  let target: HttpTarget;
  let websiteId: string;

  beforeAll(async () => {
    authority = await TlsAuthority.create();
    target = await HttpTarget.listen(always(rawResponse(200)), { tls: await authority.issue() });
    app = await startApp();
    const website = { name: 'Home', url: 'https://nas.example.com/' };
    websiteId = (await app.write.post<{ id: string }>('/websites', website)).body.id;
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  // The endpoint is never checked, because this spec does not need results.
  const post = <Body = Endpoint>(body: object) =>
    app.write.post<Body>(`/websites/${websiteId}/endpoints`, { ...NAS, enabled: false, ...body });
  const put = <Body = Endpoint>(id: string, body: object) => app.write.put<Body>(`/endpoints/${id}`, body);
  const pointersOf = ({ body }: { body: Problem }) => body.errors.map(({ pointer, code }) => [pointer, code]);

  it('are stored, shown to every role, replaced as a whole, kept when not sent and reset by null', async () => {
    const sent = { verify: false, ca: authority.rootPem, server_name: 'Nas.Internal.' };
    const stored = { ...sent, server_name: 'nas.internal', warn_days: 14 };
    const created = await post({ tls: sent });
    expect([created.status, created.body.tls]).toEqual([201, stored]);
    const { id } = created.body;
    expect((await app.read.get<Endpoint>(`/endpoints/${id}`)).body.tls).toEqual(stored);
    expect((await put(id, { name: 'Renamed' })).body.tls).toEqual(stored);
    expect((await put(id, { tls: { verify: false } })).body.tls).toEqual(UNVERIFIED);
    expect((await put(id, { tls: null })).body.tls).toEqual(DEFAULTS);
    expect((await put(id, { tls: { server_name: 'nas' } })).body.tls).toEqual({ ...DEFAULTS, server_name: 'nas' });
    expect((await put(id, { tls: {} })).body.tls).toEqual(DEFAULTS);
  });

  it('warn 14 days before the certificate expires, or the given number of days until it changes; null is never', async () => {
    const { id } = (await post({})).body;
    const days = async (tls: object | null) => (await put(id, { tls })).body.tls.warn_days;
    expect(await days({})).toBe(14);
    expect(await days({ warn_days: 30 })).toBe(30);
    expect([await days({ verify: true }), await days(null)]).toEqual([30, 30]);
    expect([await days({ warn_days: null }), await days({}), await days({ warn_days: 0 })]).toEqual([null, null, 0]);
    for (const warn_days of [-1, 91, 1.5, '7'])
      expect(pointersOf(await put<Problem>(id, { tls: { warn_days } }))[0]?.[0]).toBe('/tls/warn_days');
  });

  it('create a new revision and an audit entry when they change, and neither when they are sent unchanged', async () => {
    const { id } = (await post({})).body;
    const revision = async () => {
      const sql = 'SELECT revision FROM endpoint WHERE id = $1';
      const rows = await app.app.get(Database).query<{ revision: number }>(sql, [parseId('endpoint', id)]);
      return rows[0]?.revision;
    };
    await put(id, { tls: DEFAULTS });
    expect(await revision()).toBe(1);
    await put(id, { tls: UNVERIFIED });
    expect(await revision()).toBe(2);
    const log = await app.admin.get<object[]>(`/audit-log?resource_id=${id}`);
    expect(log.body[0]).toMatchObject({ changed: ['tls'], before: { tls: DEFAULTS }, after: { tls: UNVERIFIED } });
  });

  it.each<[string, unknown, string, string]>([
    ['a list', [], '/tls', 'wrong_type'],
    ['verify that is a text', { verify: 'no' }, '/tls/verify', 'wrong_type'],
    ['verify that is null', { verify: null }, '/tls/verify', 'wrong_type'],
    ['an unknown setting', { insecure: true }, '/tls/insecure', 'unknown_field'],
    ['a ca that is not PEM', { ca: 'MIIB' }, '/tls/ca', 'invalid_format'],
    ['a ca of more than 32 KiB', { ca: 'x'.repeat(32 * 1024 + 1) }, '/tls/ca', 'too_long'],
    ['a ca with a NUL', { ca: '-----BEGIN CERTIFICATE-----\0' }, '/tls/ca', 'invalid_characters'],
    ['an address as server name', { server_name: '192.0.2.1' }, '/tls/server_name', 'invalid_format'],
    ['a long server name', { server_name: 'a'.repeat(254) }, '/tls/server_name', 'too_long'],
  ])('are refused with %s, also before saving', async (_, tls, pointer, code) => {
    const refused = await post<Problem>({ tls });
    expect([refused.status, pointersOf(refused)]).toEqual([400, [[pointer, code]]]);
    expect(pointersOf(await app.write.post<Problem>('/endpoints/test', { ...NAS, tls }))).toEqual([[pointer, code]]);
  });

  it('are refused together with all that is wrong in other fields', async () => {
    const refused = await post<Problem>({
      name: 1,
      tls: { verify: false, ca: 'x' },
      headers: [{ key: 'Cookie', value: 'a' }],
    });
    expect(
      pointersOf(refused)
        .map(([pointer]) => pointer)
        .sort(),
    ).toEqual(['/name', '/tls/ca', '/tls/verify']);
  });

  it('cannot turn off verification next to a possible credential, no matter which of the two is sent', async () => {
    const credentials = [
      { headers: [{ key: 'Authorization', value: 'Bearer s3cret' }] },
      { body: '{"password":"s3cret"}' },
      { url: 'https://nas.example.com/?token=s3cret' },
      { url: 'https://nas.example.com/?token=s3cret', body: '' },
    ];
    for (const credential of credentials) {
      const created = await post<Problem>({ ...credential, tls: { verify: false } });
      expect([created.status, pointersOf(created)]).toEqual([400, [['/tls/verify', 'invalid_format']]]);
      expect(created.body.errors[0]?.message).toMatch(/could collect it/);
      const unverified = (await post({ tls: { verify: false } })).body;
      expect(pointersOf(await put<Problem>(unverified.id, credential))).toEqual([['/tls/verify', 'invalid_format']]);
      const verified = (await post(credential)).body;
      expect(pointersOf(await put<Problem>(verified.id, { tls: UNVERIFIED }))).toEqual([
        ['/tls/verify', 'invalid_format'],
      ]);
      expect((await put(verified.id, { tls: { ca: authority.rootPem } })).status).toBe(200);
    }
    const both = (await post({ tls: { verify: false } })).body;
    expect((await put(both.id, { tls: null, ...credentials[0] })).status).toBe(200);
  });

  it('apply to the test of an endpoint and to the checks of a stored one', async () => {
    const draft = { name: 'NAS', type: 'HTTPS', url: target.url() };
    const outcome = async (tls: object | null) =>
      (await app.write.post<{ outcome: string }>('/endpoints/test', { ...draft, tls })).body.outcome;
    expect(await outcome(null)).toBe('down');
    expect(await outcome({ verify: false })).toBe('up');
    expect(await outcome({ ca: authority.rootPem })).toBe('up');
    expect(await outcome({ ca: authority.rootPem, server_name: 'other.example' })).toBe('down');
    const { id } = (await post({ ...draft, enabled: true, tls: { ca: authority.rootPem } })).body;
    const check = await app.write.post<{ outcome: string; certificate: object }>(`/endpoints/${id}/checks`);
    expect(check.body).toMatchObject({ outcome: 'up', certificate: { issuer: 'Test Root' } });
  });
});
