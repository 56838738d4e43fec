/** @lane slow */
import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { eventually } from '../../packages/testing/eventually';
import { plantRecipes } from './recipe-tree';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { TcpTarget } from '../../packages/testing/servers/tcp-target';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { parseId } from '../../src/platform/ids/id';

const ROOT = resolve(__dirname, '../..');
const CHECK_TYPES = 'test/repository/check-types.cjs';
const tree = plantRecipes(['CONTRIBUTING.md', 'docs/contributing/recipes.md']);
const all = [...tree.added, ...new Set(tree.changed)];
const isWeb = (path: string): boolean => path.startsWith('web/');

/** Runs a program of the project on the copy. Returns its output and its exit code. */
async function runInCopy(script: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = promisify(execFile)(process.execPath, [join(ROOT, script), ...args], { cwd: tree.root });
  return child.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

// Started first, so that it runs in parallel with everything else.
const types = runInCopy(CHECK_TYPES, 'tsconfig.check.json', ...all.filter((path) => !isWeb(path)));
const webTypes = runInCopy(CHECK_TYPES, 'web/tsconfig.json', ...all.filter(isWeb));
const lint = runInCopy('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...tree.added);
afterAll(async () => {
  await Promise.all([types, webTypes, lint]);
  tree.remove();
});

const { Checker } = tree.load('src/checker/checker') as typeof import('../../src/checker/checker');
const { MemcachedChecker } = tree.load('src/checker/memcached/memcached.checker') as {
  MemcachedChecker: new (dialer: object) => object;
};
const { NetModule } = tree.load('src/platform/net/net.module') as typeof import('../../src/platform/net/net.module');

const { down, resultOf } = tree.load('src/checker/check-failure') as typeof import('../../src/checker/check-failure');
const { PushedResults } = tree.load('src/monitoring/source/pushed/pushed-results') as {
  PushedResults: new () => { take(orgId: string, endpointId: string, result: object): Promise<string> };
};

/** The code of a team's package. */
@Checker('VALKEY')
class ValkeyChecker extends MemcachedChecker {}

@Module({ imports: [NetModule], providers: [ValkeyChecker] })
class TeamModule {}

@Checker('MEMCACHED')
class SecondMemcachedChecker extends MemcachedChecker {}

@Module({ imports: [NetModule], providers: [SecondMemcachedChecker] })
class ClashingModule {}

/** Responds to version until it is broken. */
async function memcachedServer() {
  const state = { healthy: true };
  const server = await TcpTarget.listen((socket) => {
    socket
      .on('error', () => {})
      .on('data', () => socket.end(state.healthy ? 'VERSION 1.6.38\r\n' : 'SERVER_ERROR\r\n'));
  });
  return { state, url: `memcached://${server.authority}`, close: () => server.close() };
}

describe('the recipes', () => {
  it('the recipes add the files that they name, and a few lines elsewhere', () => {
    expect(tree.added.filter((path) => !path.startsWith('test/')).sort()).toEqual([
      'src/channel/vendor/synapse.channel.ts',
      'src/checker/memcached/memcached.checker.ts',
      'src/checker/pushed/pushed.checker.ts',
      'src/monitoring/source/pushed/pushed-results.ts',
      'src/platform/database/migrations/1800000000000-releases.ts',
      'src/platform/database/migrations/1800000001000-endpoint-notes.ts',
      'src/platform/database/migrations/1800000002000-alert-runbook.ts',
      'src/release/release-retention.ts',
      'src/release/release.controller.ts',
      'src/release/release.dto.ts',
      'src/release/release.entity.ts',
      'src/release/release.module.ts',
      'src/release/release.service.ts',
      'web/src/pages/renewals.tsx',
    ]);
    expect([...new Set(tree.changed)].sort()).toEqual([
      'src/alert/alert.dto.ts',
      'src/alert/alert.entity.ts',
      'src/alert/suppression/suppressed-by.spec.ts',
      'src/alert/suppression/suppressed-by.ts',
      'src/alert/suppression/suppression-queries.ts',
      'src/app.module.ts',
      'src/audit/audited-change.ts',
      'src/channel/channel.module.ts',
      'src/checker/checker.module.ts',
      'src/checker/udp/udp.checker.ts',
      'src/endpoint/endpoint.dto.ts',
      'src/endpoint/endpoint.entity.ts',
      'src/monitoring/monitoring.module.ts',
      'src/platform/database/migrations/migrations.ts',
      'src/platform/ids/id.ts',
      'src/release/release.module.ts',
      'test/e2e/audit/audit-routes.spec.ts',
      'test/e2e/configuration/export.spec.ts',
      'test/e2e/endpoint/endpoints.spec.ts',
      'test/e2e/http/idempotency.spec.ts',
      'test/e2e/http/safe-writes.spec.ts',
      'test/e2e/identity/access-matrix.spec.ts',
      'test/e2e/release/releases.spec.ts',
      'test/integration/delivery/alert-suppression.spec.ts',
      'test/repository/architecture.spec.ts',
      'test/web/accessibility.spec.ts',
      'web/src/pages/routes.tsx',
      'web/src/pages/sections.ts',
    ]);
  });

  it('the recipes compile strictly', async () => {
    expect(await types).toEqual({ code: 0, output: '' });
    expect(await webTypes).toEqual({ code: 0, output: '' });
  }, 120_000);

  it('the recipes satisfy the linter', async () => {
    expect((await lint).output).toContain('Found 0 warnings and 0 errors');
  }, 120_000);
});

describe('with the recipes applied', () => {
  tree.load('test/repository/architecture.spec.ts');
  tree.load('test/contract/checker/memcached.spec.ts');
  tree.load('test/contract/checker/pushed.spec.ts');
  tree.load('test/e2e/release/releases.spec.ts');
  tree.load('test/e2e/endpoint/endpoints.spec.ts');
  tree.load('test/e2e/configuration/export.spec.ts');
  tree.load('test/e2e/identity/access-matrix.spec.ts');
  tree.load('test/e2e/audit/audit-routes.spec.ts');
  tree.load('test/e2e/http/idempotency.spec.ts');
  tree.load('src/alert/suppression/suppressed-by.spec.ts');
  tree.load('test/integration/delivery/alert-suppression.spec.ts');

  describe('a first run that writes the golden files', () => {
    const before = process.env['UPDATE_GOLDEN'];
    beforeAll(() => void (process.env['UPDATE_GOLDEN'] = '1'));
    afterAll(() => {
      if (before === undefined) delete process.env['UPDATE_GOLDEN'];
      else process.env['UPDATE_GOLDEN'] = before;
    });
    tree.load('test/contract/channel/synapse.spec.ts');
  });

  describe('the service', () => {
    let app: TestApp;
    let memcached: Awaited<ReturnType<typeof memcachedServer>>;
    let matrix: FakeProvider;

    beforeAll(async () => {
      const harness = tree.load('test/harness/app/app') as typeof import('../harness/app/app');
      app = await harness.startOwnApp({}, { extensions: [{ name: 'test', modules: [TeamModule] }] });
      memcached = await memcachedServer();
      matrix = await FakeProvider.start();
    });
    afterAll(async () => {
      await app.close();
      await memcached.close();
      await matrix.stop();
    });

    const statusOf = async (id: string) => (await app.read.get<{ status: string }>(`/endpoints/${id}`)).body.status;

    it('checks an endpoint of the new type, and notifies the new channel when it breaks and recovers', async () => {
      matrix.standingResponse({ status: 200, body: '{"event_id":"$1"}' });
      const server = { type: 'MEMCACHED', url: memcached.url, interval: 1, timeout: 5 };
      const endpoint = await newEndpoint(app.write, await newWebsite(app.write), server);
      const config = { homeserver: matrix.url, access_token: 'secret-of-matrix', room_id: '!ops:example.com' };
      const thresholds = { failure_threshold: 1, success_threshold: 1 };
      const alert = await app.write.post('/alerts', { endpoint_id: endpoint, type: 'synapse', config, ...thresholds });
      expect(alert).toMatchObject({ status: 201, body: { type: 'synapse', config: { homeserver: matrix.url } } });
      expect(alert.text).not.toContain('secret-of-matrix');
      await eventually('the endpoint to be up', async () => (await statusOf(endpoint)) === 'up');

      memcached.state.healthy = false;
      await eventually('the message that it is down', () => matrix.requests.length === 1);
      expect(matrix.requests[0]).toMatchObject({
        method: 'PUT',
        path: expect.stringMatching(
          /^\/_matrix\/client\/v3\/rooms\/!ops%3Aexample\.com\/send\/m\.room\.message\/ev_\w{26}$/,
        ),
        headers: { authorization: 'Bearer secret-of-matrix' },
        body: expect.stringContaining('The server did not reply with VERSION'),
      });

      memcached.state.healthy = true;
      await eventually('the message that it is up', () => matrix.requests.length === 2);
      expect(matrix.requests[1]?.body).toContain('is back up');
    });

    it('judges targets, configs, and assertions of the new types like the built-in types', async () => {
      const website = await newWebsite(app.write);
      const endpoint = await app.write.post<{ errors: object[] }>(`/websites/${website}/endpoints`, {
        name: 'Cache',
        type: 'MEMCACHED',
        url: 'http://cache',
        assertions: [{ source: 'status_code', comparison: 'equals', target: '200' }],
      });
      expect(endpoint.body.errors).toEqual([
        { pointer: '/url', code: 'invalid_format', message: expect.stringContaining('memcached://host[:port]') },
        expect.objectContaining({ pointer: '/assertions/0/source' }),
      ]);
      const alert = await app.write.post<{ errors: object[] }>('/alerts', {
        endpoint_id: await newEndpoint(app.write, website),
        type: 'synapse',
        config: { homeserver: 'ftp://matrix', access_token: '', room_id: 'room', spare: 1 },
      });
      expect(alert.body.errors).toHaveLength(4);
    });

    it('plans, applies and exports the new fields of endpoints and alerts in a document', async () => {
      const org = await app.organization('documents');
      const documentWith = (notes: string | null, runbook: string | null) => {
        const alert = { key: 'pager', type: 'pagerduty', config: { routing_key: 'f'.repeat(32) }, runbook };
        const at = { type: 'HTTPS', url: 'https://shop.example.com/' };
        const endpoint = { key: 'front', name: 'Front', ...at, notes, alerts: [alert] };
        const website = { key: 'shop', name: 'Shop', url: at.url, endpoints: [endpoint] };
        return { version: 1, websites: [website] };
      };
      const [notes, runbook] = ['Runs behind the CDN.', 'https://wiki.example.com/checkout'];
      const applied = await org.write.put('/configuration', documentWith(notes, runbook));
      expect([applied.status, applied.status === 200 ? '' : applied.text]).toEqual([200, '']);
      const exported = await org.read.get('/configuration');
      expect(exported.body).toMatchObject({ websites: [{ endpoints: [{ notes, alerts: [{ runbook }] }] }] });
      const plan = await org.write.post<{ changes: object[] }>('/configuration/plan', documentWith(null, null));
      expect(plan.body.changes).toMatchObject([
        { key: 'shop/front', fields: [{ pointer: '/notes', before: notes, after: '' }] },
        { key: 'shop/front/pager', fields: [{ pointer: '/runbook', before: runbook, after: '' }] },
      ]);
    });

    it('describes the new types in its OpenAPI document', async () => {
      const document = await app.anonymous.get<{ paths: object; components: { schemas: object } }>('/openapi.json');
      expect(document.body.paths).toHaveProperty(['/api/v1/releases/{id}', 'get']);
      expect(document.body.components.schemas).toMatchObject({
        CreateEndpoint: {
          properties: {
            notes: { maxLength: 500 },
            type: {
              enum: expect.arrayContaining(['HTTP', 'HEARTBEAT', 'PUSHED', 'MEMCACHED', 'VALKEY']),
            },
            url: { description: expect.stringContaining('`MEMCACHED` memcached://host[:port]') },
          },
        },
        UdpSettings: { properties: { copies: { maximum: 5, 'x-default': 1 } } },
        CreateSynapseAlert: {},
        SynapseConfig: { required: ['homeserver', 'access_token', 'room_id'] },
      });
    });

    it('records the requests to the new source, and runs no check of its type', async () => {
      const endpoint = await newEndpoint(app.write, await newWebsite(app.write), { type: 'PUSHED', url: 'backup' });
      const result = resultOf(down('connection_refused', 'connect', 'The backup failed.'));
      const uuid = parseId('endpoint', endpoint) ?? '';
      expect(await app.app.get(PushedResults).take(app.orgId, uuid, result)).toBe('recorded');
      expect(await statusOf(endpoint)).toBe('down');
      expect((await app.write.post(`/endpoints/${endpoint}/checks`)).status).toBe(409);
    });

    it("accepts the checker of a team's private module", async () => {
      const fields = { type: 'VALKEY', url: memcached.url };
      const endpoint = await newEndpoint(app.write, await newWebsite(app.write), fields);
      await eventually('the endpoint to be up', async () => (await statusOf(endpoint)) === 'up');
    });
  });

  it('checks from the terminal', async () => {
    const memcached = await memcachedServer();
    const { checkLocally } = tree.load(
      'packages/cli/check-locally',
    ) as typeof import('../../packages/cli/check-locally');
    const settings = { headers: [], followRedirects: true, tls: null, assertions: [] };
    expect(await checkLocally('MEMCACHED', memcached.url, settings, {})).toMatchObject({ outcome: 'up' });
    await memcached.close();
  });

  it('does not start with two checkers of one type', async () => {
    const { CheckerModule } = tree.load(
      'src/checker/checker.module',
    ) as typeof import('../../src/checker/checker.module');
    const { Config } = tree.load('src/platform/config/config') as typeof import('../../src/platform/config/config');
    const { ConfigModule } = tree.load(
      'src/platform/config/config.module',
    ) as typeof import('../../src/platform/config/config.module');
    const imports = [ConfigModule.forRoot(new Config()), CheckerModule, ClashingModule];
    const application = await Test.createTestingModule({ imports }).compile();
    await expect(application.init()).rejects.toThrow(
      'Checker "MEMCACHED" is registered twice: by MemcachedChecker and by SecondMemcachedChecker',
    );
  });
});

describe('without the lines of the recipes', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
  });
  afterAll(() => app.close());

  it('an unknown type of endpoint is refused with a list of the known types', async () => {
    const fields = { name: 'Cache', type: 'MEMCACHED', url: 'memcached://cache' };
    const response = await app.write.post(`/websites/${await newWebsite(app.write)}/endpoints`, fields);
    expect(response).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/type',
            code: 'unsupported_type',
            message: expect.stringMatching(/^type must be one of HTTP, HTTPS, TCP, .*, PROBE, /) as string,
          },
        ],
      },
    });
  });

  it('an unknown type of alert is refused with a list of the known types', async () => {
    const endpoint_id = await newEndpoint(app.write, await newWebsite(app.write));
    const response = await app.write.post('/alerts', { endpoint_id, type: 'synapse', config: {} });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: '/type' }] } });
    expect(response.text).toContain('email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio');
  });

  it('an unknown module has no routes', async () => {
    expect((await app.read.get('/releases')).status).toBe(404);
  });
});
