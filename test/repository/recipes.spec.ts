import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import ts from 'typescript';
import { FakeProvider } from '../harness/servers/fake-provider';
import { eventually } from '../harness/app/poll';
import { plantRecipes } from './recipe-tree';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { TcpTarget } from '../harness/servers/tcp-target';
import { startApp, type TestApp } from '../harness/app/app';

const run = promisify(execFile);
const ROOT = resolve(__dirname, '../..');
const tree = plantRecipes(['CONTRIBUTING.md', 'docs/recipes.md']);
afterAll(() => tree.remove());

const { Checker } = tree.load('src/checker/checker') as typeof import('../../src/checker/checker');
const { RedisChecker } = tree.load('src/checker/redis/redis.checker') as { RedisChecker: new (dialer: object) => object };
const { NetModule } = tree.load('src/platform/net/net.module') as typeof import('../../src/platform/net/net.module');

/** What a team keeps in its own package. */
@Checker('VALKEY')
class ValkeyChecker extends RedisChecker {}

@Module({ imports: [NetModule], providers: [ValkeyChecker] })
class TeamModule {}

@Checker('REDIS')
class SecondRedisChecker extends RedisChecker {}

@Module({ imports: [NetModule], providers: [SecondRedisChecker] })
class ClashingModule {}

/** Answers PING until it is told to break. */
async function redisServer() {
  const state = { healthy: true };
  const server = await TcpTarget.listen((socket) => {
    socket.on('error', () => {}).on('data', () => socket.end(state.healthy ? '+PONG\r\n' : '-LOADING\r\n'));
  });
  return { state, url: `redis://${server.authority}`, close: () => server.close() };
}

describe('the recipes', () => {
  it('add the files they speak of, and a few lines elsewhere', () => {
    expect(tree.added.filter((path) => !path.startsWith('test/')).sort()).toEqual([
      'src/channel/vendor/matrix.channel.ts',
      'src/checker/redis/redis.checker.ts',
      'src/incident/incident.controller.ts',
      'src/incident/incident.dto.ts',
      'src/incident/incident.entity.ts',
      'src/incident/incident.module.ts',
      'src/incident/incident.service.ts',
      'src/platform/database/migrations/1800000000000-incidents.ts',
    ]);
    expect(tree.changed.sort()).toEqual([
      'src/app.module.ts',
      'src/channel/channel.module.ts',
      'src/checker/checker.module.ts',
      'src/audit/audited-change.ts',
      'src/platform/database/migrations/migrations.ts',
      'src/platform/ids/id.ts',
      'test/repository/architecture.spec.ts',
      'test/e2e/identity/access-matrix.spec.ts',
      'test/e2e/audit/audit-routes.spec.ts',
    ]);
  });

  it('compile strictly', () => {
    const settings = readFileSync(join(tree.root, 'tsconfig.check.json'), 'utf8');
    const { config } = ts.parseConfigFileTextToJson('tsconfig.check.json', settings) as { config: object };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, tree.root);
    const program = ts.createProgram(
      [...tree.added, ...tree.changed].map((path) => join(tree.root, path)),
      options,
    );
    const problems = [...tree.added, ...tree.changed].flatMap((path) => {
      const source = program.getSourceFile(join(tree.root, path));
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  }, 60_000);

  it('satisfy the linter', async () => {
    const linter = join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const { stdout } = await run(process.execPath, [linter, '--type-aware', '--deny-warnings', ...tree.added], {
      cwd: tree.root,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toContain('Found 0 warnings and 0 errors');
  });
});

describe('with the recipes carried out', () => {
  tree.load('test/repository/architecture.spec.ts');
  tree.load('test/contract/checker/redis.spec.ts');
  tree.load('test/e2e/incidents.spec.ts');
  tree.load('test/e2e/identity/access-matrix.spec.ts');
  tree.load('test/e2e/audit/audit-routes.spec.ts');

  describe('a first run that writes the golden files', () => {
    const before = process.env['UPDATE_GOLDEN'];
    beforeAll(() => void (process.env['UPDATE_GOLDEN'] = '1'));
    afterAll(() => {
      if (before === undefined) delete process.env['UPDATE_GOLDEN'];
      else process.env['UPDATE_GOLDEN'] = before;
    });
    tree.load('test/contract/channel/matrix.spec.ts');
  });

  describe('the service', () => {
    let app: TestApp;
    let redis: Awaited<ReturnType<typeof redisServer>>;
    let matrix: FakeProvider;

    beforeAll(async () => {
      const harness = tree.load('test/harness/app/app') as typeof import('../harness/app/app');
      app = await harness.startApp({}, { modules: [TeamModule] });
      redis = await redisServer();
      matrix = await FakeProvider.start();
    });
    afterAll(async () => {
      await app.close();
      await redis.close();
      await matrix.stop();
    });

    const statusOf = async (id: string) => (await app.read.get<{ status: string }>(`/endpoints/${id}`)).body.status;

    it('checks an endpoint of the new type, and tells the new channel when it breaks and heals', async () => {
      matrix.standingResponse({ status: 200, body: '{"event_id":"$1"}' });
      const server = { type: 'REDIS', url: redis.url, interval: 1, timeout: 5 };
      const endpoint = await newEndpoint(app.write, await newWebsite(app.write), server);
      const config = { homeserver: matrix.url, access_token: 'secret-of-matrix', room_id: '!ops:example.com' };
      const thresholds = { failure_threshold: 1, success_threshold: 1 };
      const alert = await app.write.post('/alerts', { endpoint_id: endpoint, type: 'matrix', config, ...thresholds });
      expect(alert).toMatchObject({ status: 201, body: { type: 'matrix', config: { homeserver: matrix.url } } });
      expect(alert.text).not.toContain('secret-of-matrix');
      await eventually('the endpoint to be up', async () => (await statusOf(endpoint)) === 'up');

      redis.state.healthy = false;
      await eventually('the message that it is down', () => matrix.requests.length === 1);
      expect(matrix.requests[0]).toMatchObject({
        method: 'PUT',
        path: expect.stringMatching(
          /^\/_matrix\/client\/v3\/rooms\/!ops%3Aexample\.com\/send\/m\.room\.message\/ev_\w{26}$/,
        ),
        headers: { authorization: 'Bearer secret-of-matrix' },
        body: expect.stringContaining('The server did not answer PONG'),
      });

      redis.state.healthy = true;
      await eventually('the message that it is up', () => matrix.requests.length === 2);
      expect(matrix.requests[1]?.body).toContain('is up again');
    });

    it('judges targets, configs and assertions of the new types like those of its own', async () => {
      const website = await newWebsite(app.write);
      const endpoint = await app.write.post<{ errors: object[] }>(`/websites/${website}/endpoints`, {
        name: 'Cache',
        type: 'REDIS',
        url: 'http://cache',
        assertions: [{ source: 'status_code', comparison: 'equals', target: '200' }],
      });
      expect(endpoint.body.errors).toEqual([
        { pointer: '/url', code: 'invalid_format', message: expect.stringContaining('redis://host[:port]') },
        expect.objectContaining({ pointer: '/assertions/0/source' }),
      ]);
      const alert = await app.write.post<{ errors: object[] }>('/alerts', {
        endpoint_id: await newEndpoint(app.write, website),
        type: 'matrix',
        config: { homeserver: 'ftp://matrix', access_token: '', room_id: 'room', spare: 1 },
      });
      expect(alert.body.errors).toHaveLength(4);
    });

    it('describes the new types in its OpenAPI document', async () => {
      const document = await app.anonymous.get<{ paths: object; components: { schemas: object } }>('/openapi.json');
      expect(document.body.paths).toHaveProperty(['/api/v1/incidents/{id}', 'get']);
      expect(document.body.components.schemas).toMatchObject({
        CreateEndpointDto: {
          properties: {
            type: { enum: ['HTTP', 'HTTPS', 'TCP', 'DNS', 'ICMP', 'SSH', 'REDIS', 'VALKEY'] },
            url: { description: expect.stringContaining('`REDIS` redis://host[:port]') },
          },
        },
        CreateMatrixAlert: {},
        MatrixConfig: { required: ['homeserver', 'access_token', 'room_id'] },
      });
    });

    it('takes the checker of a module that a team keeps for itself', async () => {
      const fields = { type: 'VALKEY', url: redis.url };
      const endpoint = await newEndpoint(app.write, await newWebsite(app.write), fields);
      await eventually('the endpoint to be up', async () => (await statusOf(endpoint)) === 'up');
    });
  });

  it('checks from the terminal', async () => {
    const redis = await redisServer();
    const { runCheckUrl } = tree.load('src/cli/check-url-command') as typeof import('../../src/cli/check-url-command');
    expect(await runCheckUrl(['REDIS', redis.url], {})).toMatchObject({ exitCode: 0 });
    await redis.close();
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
      'Checker "REDIS" is registered twice: by RedisChecker and by SecondRedisChecker',
    );
  });
});

describe('without the lines', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  it('an unknown type of endpoint is refused with the types there are', async () => {
    const fields = { name: 'Cache', type: 'REDIS', url: 'redis://cache' };
    const answer = await app.write.post(`/websites/${await newWebsite(app.write)}/endpoints`, fields);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/type',
            code: 'unsupported_type',
            message: 'type must be one of HTTP, HTTPS, TCP, DNS, ICMP, SSH',
          },
        ],
      },
    });
  });

  it('an unknown type of alert is refused with the types there are', async () => {
    const endpoint_id = await newEndpoint(app.write, await newWebsite(app.write));
    const answer = await app.write.post('/alerts', { endpoint_id, type: 'matrix', config: {} });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/type' }] } });
    expect(answer.text).toContain('email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio');
  });

  it('an unknown module has no routes', async () => {
    expect((await app.read.get('/incidents')).status).toBe(404);
  });
});
