import type { AlertView } from '../../../src/alert/alert.dto';
import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { newUuid, formatId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';

interface Verdict {
  state: string;
  response_status: number | null;
  error: string | null;
  code: string;
  errors: { pointer: string; code: string }[];
}

describe('testing an alert before it is saved', () => {
  let app: TestApp;
  let provider: FakeProvider;
  let other: ServiceOrganization;
  let endpointId: string;

  beforeAll(async () => {
    [app, provider] = await Promise.all([startApp({ role: 'api' }), FakeProvider.start()]);
    other = await app.organization('Other');
    endpointId = await newEndpoint(app.write, await newWebsite(app.write));
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });

  const webhook = (path: string) => ({ type: 'webhook', config: { url: `${provider.url}${path}` } });
  const test = (body: object, api: Api = app.write) =>
    api.post<Verdict>('/alerts/test', { endpoint_id: endpointId, ...body });

  it('sends a message marked as a test through the channel, and stores nothing', async () => {
    provider.expect({ status: 204 });
    const { status, body } = await test({ ...webhook('/delivered'), description: 'Runbook: wiki' });

    expect([status, body]).toEqual([200, { state: 'delivered', response_status: 204, error: null }]);
    const sent = JSON.parse(provider.requests.at(-1)?.body ?? '{}') as { type: string };
    expect(sent.type).toBe('alert.test');
    expect(JSON.stringify(sent)).toContain('Runbook: wiki');
    expect(JSON.stringify(sent)).toContain(endpointId);
    expect((await app.read.get<AlertView[]>('/alerts')).body).toEqual([]);
  });

  it("responds with the provider's message if the provider refuses the test, without the address it was sent to", async () => {
    provider.expect({ status: 403, body: 'go away' });
    const { status, body } = await test(webhook('/refused?token=very-secret'));

    expect([status, body.state, body.response_status]).toEqual([200, 'failed', 403]);
    expect(body.error).toContain('403');
    expect(JSON.stringify(body)).not.toContain('very-secret');
  });

  it('writes the test to the audit log with the config masked', async () => {
    provider.expect({ status: 204 });
    await test(webhook('/audited-secret'));
    const { body } = await app.admin.get<AuditEntryView[]>('/audit-log?limit=1');

    expect(body[0]).toMatchObject({ action: 'test', resource: 'alert' });
    expect(JSON.stringify(body)).toContain('webhook');
    expect(JSON.stringify(body)).not.toContain('audited-secret');
  });

  it('refuses every body that creating the alert would refuse, with every pointer', async () => {
    const { status, body } = await test({ type: 'webhook', config: {}, failure_threshold: 0 });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect((await test({ type: 'webhook', config: {} })).body.errors).toMatchObject([{ pointer: '/config/url' }]);
    expect((await test({ type: 'webhook', config: { url: '********' } })).status).toBe(400);
  });

  it('responds 404 for an endpoint that is unknown or of another organization', async () => {
    const unknown = await test({ ...webhook('/x'), endpoint_id: formatId('endpoint', newUuid()) });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    const config = { webhook_url: 'https://hooks.slack.com/services/T0/B0/X' };
    expect((await test({ type: 'slack', config }, other.write)).status).toBe(404);
  });

  it('refuses a channel at an address that the egress policy refuses', async () => {
    const strict = await startApp({ role: 'api', egressPrivate: 'auto' });
    try {
      const endpoint_id = await newEndpoint(strict.write, await newWebsite(strict.write));
      const { status, body } = await test({ ...webhook('/x'), endpoint_id }, strict.write);
      expect([status, body.code]).toEqual([422, 'target_not_allowed']);
    } finally {
      await strict.close();
    }
  });

  it('refuses a test to read keys', async () => {
    expect((await test(webhook('/x'), app.read)).status).toBe(403);
  });

  it('refuses the eleventh test at one destination within a minute, and allows another destination', async () => {
    provider.standingResponse({ status: 204 });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await test(webhook('/often'))).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    expect((await test(webhook('/seldom'))).status).toBe(200);
  });
});
