import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Endpoint {
  id: string;
  assertions: object[];
}
interface Problem {
  code: string;
  errors: { pointer: string; code: string; message: string }[];
}

const FAST = { source: 'response_time', comparison: 'less_than', target: '500' };
const LONG_VALID = { source: 'certificate_days', comparison: 'greater_than', target: '14' };
const TOKEN = { source: 'header', property: 'X-Auth-Token', comparison: 'equals', target: 'expected' };

describe('the severity of an assertion', () => {
  let app: TestApp;
  let website: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    website = await newWebsite(app.write);
  });
  afterAll(() => app.close());

  const endpointWith = async (assertions: object[]) => newEndpoint(app.write, website, { assertions });
  const shown = async (id: string) => (await app.write.get<Endpoint>(`/endpoints/${id}`)).body.assertions;
  const stored = async (id: string) => {
    const [row] = await app.app
      .get(Database)
      .query<{ assertions: object[]; revision: number }>('SELECT assertions, revision FROM endpoint WHERE id = $1', [
        parseId('endpoint', id),
      ]);
    return row;
  };

  it('is critical unless it is sent, and is always shown', async () => {
    const id = await endpointWith([FAST, { ...LONG_VALID, severity: 'warning' }, { ...TOKEN, severity: 'critical' }]);
    const assertions = [
      { ...FAST, severity: 'critical' },
      { ...LONG_VALID, severity: 'warning' },
      { ...TOKEN, severity: 'critical' },
    ];
    expect(await shown(id)).toEqual(assertions);
    expect((await app.read.get<Endpoint>(`/endpoints/${id}`)).body.assertions).toEqual([
      ...assertions.slice(0, 2),
      { ...TOKEN, target: '********', severity: 'critical' },
    ]);
  });

  it('is stored only if it is a warning, so that older assertions compare equal', async () => {
    const id = await endpointWith([
      { ...FAST, severity: 'critical' },
      { ...LONG_VALID, severity: 'warning' },
    ]);
    expect((await stored(id))?.assertions).toEqual([FAST, { ...LONG_VALID, severity: 'warning' }]);
  });

  it('may be sent back as shown, which does not change what is checked', async () => {
    const id = await endpointWith([FAST, { ...LONG_VALID, severity: 'warning' }, { ...TOKEN, severity: 'warning' }]);
    const before = await stored(id);
    const response = await app.write.put<Endpoint>(`/endpoints/${id}`, { assertions: await shown(id) });
    expect(response.status).toBe(200);
    expect(await stored(id)).toEqual(before);
    const masked = (await app.read.get<Endpoint>(`/endpoints/${id}`)).body.assertions;
    expect((await app.write.put(`/endpoints/${id}`, { assertions: masked })).status).toBe(200);
    expect(await stored(id)).toEqual(before);
  });

  it('changes what is checked if it is different', async () => {
    const id = await endpointWith([FAST]);
    const before = await stored(id);
    await app.write.put(`/endpoints/${id}`, { assertions: [{ ...FAST, severity: 'warning' }] });
    expect((await stored(id))?.revision).toBe((before?.revision ?? 0) + 1);
    expect(await shown(id)).toEqual([{ ...FAST, severity: 'warning' }]);
    await app.write.put(`/endpoints/${id}`, { assertions: [FAST] });
    expect((await stored(id))?.assertions).toEqual([FAST]);
  });

  it.each(['fatal', '', 'Warning', null, 1, ['warning']])('is refused as %j', async (severity) => {
    const response = await app.write.post<Problem>(`/websites/${website}/endpoints`, {
      name: 'Front',
      type: 'HTTPS',
      url: 'https://shop.example.com/',
      assertions: [FAST, { ...FAST, severity }],
    });
    expect([response.status, response.body.code]).toEqual([400, 'validation_failed']);
    expect(response.body.errors.map(({ pointer }) => pointer)).toEqual(['/assertions/1/severity']);
  });

  it('is written to the audit log', async () => {
    const id = await endpointWith([FAST]);
    await app.write.put(`/endpoints/${id}`, { assertions: [{ ...FAST, severity: 'warning' }] });
    const log = await app.admin.get<{ before: object; after: object }[]>(`/audit-log?resource_id=${id}&limit=1`);
    expect(log.text).toContain('"severity":"warning"');
    expect(log.text).toContain('"severity":"critical"');
  });
});
