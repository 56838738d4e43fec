import { MaskedAudit1700000005600 } from '../../../src/platform/database/migrations/1700000005600-masked-audit';
import { newUuid } from '../../../src/platform/ids/id';
import { Alerting } from '../../harness/app/alerting';

describe('entries of the audit log that were written before an upgrade', () => {
  let alerting: Alerting;
  let orgId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
  });
  afterAll(() => alerting.close());

  const write = async (resource: string, before: object | null, after: object | null): Promise<string> => {
    const id = newUuid();
    await alerting.database.query(
      `INSERT INTO audit_log (id, org_id, action, resource, resource_id, changed, before, after, via)
       VALUES ($1, $2, 'update', $3, $1, '{}', $4, $5, 'system')`,
      [id, orgId, resource, before && JSON.stringify(before), after && JSON.stringify(after)],
    );
    return id;
  };
  const read = async (id: string): Promise<object | undefined> => {
    const [row] = await alerting.database.query<object>('SELECT before, after FROM audit_log WHERE id = $1', [id]);
    return row;
  };
  const upgrade = async (): Promise<void> => {
    const runner = alerting.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await new MaskedAudit1700000005600().up(runner);
    await runner.commitTransaction();
    await runner.release();
  };

  it('lose what their masks showed of secrets, and nothing else', async () => {
    const alert = await write(
      'alert',
      {
        type: 'email',
        description: 'call "ops" ********',
        config: {
          to: ['********@example.com'],
          smtp: { host: 'smtp.example.com', password: '********@ssw0rd-"Prod\\2026"', username: 'u' },
        },
      },
      { type: 'slack', config: { webhook_url: 'https://hooks.example.com/********', mention: '@here' } },
    );
    const request = {
      name: 'Shop',
      url: 'https://shop.example/?token=s3cret#top',
      body: 's3cret',
      headers: [
        { key: 'DD-API-KEY', value: 's3cret' },
        { key: 'accept', value: 'text/html' },
      ],
      assertions: [
        { source: 'header', property: 'X-Token', comparison: 'equals', target: 's3cret' },
        { source: 'status_code', comparison: 'in', target: '200' },
      ],
    };
    const endpoint = await write('endpoint', { interval: 60 }, request);
    const plain = await write('endpoint', null, { url: 'dns:example.com?type=MX', body: null, headers: [] });
    const website = await write('website', null, { name: '********', url: 'https://a.example/?b' });
    await upgrade();
    expect(await read(alert)).toEqual({
      before: {
        type: 'email',
        description: 'call "ops" ********',
        config: { to: ['********'], smtp: { host: 'smtp.example.com', password: '********', username: 'u' } },
      },
      after: { type: 'slack', config: { webhook_url: '********', mention: '@here' } },
    });
    expect(await read(endpoint)).toEqual({
      before: { interval: 60 },
      after: {
        name: 'Shop',
        url: 'https://shop.example/?********',
        body: '********',
        headers: [
          { key: 'DD-API-KEY', value: '********' },
          { key: 'accept', value: 'text/html' },
        ],
        assertions: [
          { source: 'header', property: 'X-Token', comparison: 'equals', target: '********' },
          { source: 'status_code', comparison: 'in', target: '200' },
        ],
      },
    });
    expect(await read(plain)).toEqual({
      before: null,
      after: { url: 'dns:example.com?type=MX', body: null, headers: [] },
    });
    expect(await read(website)).toEqual({ before: null, after: { name: '********', url: 'https://a.example/?b' } });
  });

  it('cannot be changed afterwards, as before', async () => {
    await write('alert', null, { config: {} });
    await upgrade();
    await expect(alerting.database.query(`UPDATE audit_log SET key_name = 'x'`)).rejects.toThrow('append-only');
    await expect(alerting.database.query('DELETE FROM audit_log')).rejects.toThrow('append-only');
  });
});
