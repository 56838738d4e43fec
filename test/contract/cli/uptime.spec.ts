/** @lane slow */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';
import { onTerminal } from '../../harness/processes/terminal';
import { uptime } from '../../harness/processes/uptime-command';
import { always, type HttpScript, HttpTarget, rawResponse, sent } from '../../../packages/testing/servers/http-target';
import { closedPort } from '../../../packages/testing/servers/tcp-target';

const ROOT = join(__dirname, '../../..');
const KEY = 'ums_r_0123456789';
const problem = (status: number, body: object, headers = {}) =>
  rawResponse(status, JSON.stringify(body), { 'Content-Type': 'application/problem+json', ...headers });
const json = (body: unknown, headers = {}) =>
  rawResponse(200, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });

const summary = { create: 1, update: 0, adopt: 0, delete: 0, unchanged: 0 };
const CHANGE = { action: 'create', resource: 'website', key: 'shop', id: null, fields: [] };
const PLAN = { summary, changes: [CHANGE], notes: [] };
const planned: HttpScript = (_, socket) => socket.end(json(PLAN, { ETag: '"seen"' }));
const DOCUMENT = 'version: 1\nwebsites: []\n';

describe('The command uptime', () => {
  let script: HttpScript;
  let server: HttpTarget;
  let folder: string;

  beforeAll(async () => {
    server = await HttpTarget.listen((request, socket) => script(request, socket));
    folder = mkdtempSync(join(tmpdir(), 'uptime-cli-'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: string[], more: Parameters<typeof uptime>[3] = {}) =>
    uptime(server.url(), KEY, args, { folder, ...more });
  const ls = (response: string) => {
    script = always(response);
    return run(['endpoints', 'ls']);
  };

  it.each([
    ['a refused key', problem(401, { title: 'No' }), /^The API key was not accepted \(401\)/],
    [
      'a key without the role',
      problem(403, { detail: 'It needs "write".' }),
      /is not allowed to do this \(403\)\. It needs "write"\./,
    ],
    ['too many requests', problem(429, {}, { 'Retry-After': '7' }), /\(429\)\. Try again in 7 s\./],
    [
      'an overloaded service',
      problem(503, { title: 'Busy' }, { 'Retry-After': '1' }),
      /^Busy\. \(503\) Try again in 1 s\./,
    ],
    ['a proxy that refuses', rawResponse(503, 'down'), /^The request was refused\. \(503\)/],
    [
      'another program at the URL',
      rawResponse(200, '<html>', { 'Content-Type': 'text/html' }),
      /200 and text\/html, which is not a response of this API/,
    ],
    [
      'a URL that is not found',
      rawResponse(404, 'no'),
      /404 and no content type, which is not a response of this API\. Is UPTIME_URL/,
    ],
    ['a response that is not HTTP', 'SSH-2.0-OpenSSH_9\r\n', /did not respond with HTTP|closed the connection/],
    ['half a response', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[', /closed the connection|could not be reached/],
  ])('exits with code 1 and explains %s', async (_, response, words) => {
    expect(await ls(response)).toEqual({ code: 1, out: '', err: expect.stringMatching(words) });
  });

  it.each([
    ['ls -q', 'endpoints ls -q', '/api/v1/endpoints?'],
    ['incidents --all', 'incidents ls --all', '/api/v1/incidents?'],
    ['incident inc_1 --json', 'incidents show inc_1 --json', '/api/v1/incidents/inc_1'],
    ['incident ack inc_1 --json', 'incidents ack inc_1 --json', '/api/v1/incidents/inc_1'],
    ['probe ls', 'probes ls', '/api/v1/probes?'],
  ])('accepts the earlier form "%s" for "%s"', async (earlier, now, path) => {
    script = ({ path: at }, socket) => socket.end(json(at.includes('inc_1') ? { id: 'inc_1', number: 1 } : []));
    const asked = async (words: string) => {
      const before = server.seen.length;
      await run(words.split(' '));
      return server.seen.slice(before).map((one) => `${one.method} ${one.path}`);
    };
    const requests = await asked(now);
    expect(requests[0]).toContain(`GET ${path}`);
    expect(await asked(earlier)).toEqual(requests);
  });

  it('creates a probe and prints only its token to stdout; stderr shows how to start the probe, without the token', async () => {
    const made = { id: 'pr_1', key: 'fra', token: 'ump_0123456789' };
    script = always(rawResponse(201, JSON.stringify(made), { 'Content-Type': 'application/json' }));
    const { code, out, err } = await run(['probes', 'create', 'fra', '--region', 'eu']);
    expect([code, out]).toEqual([0, `${made.token}\n`]);
    expect(err).toContain(
      `-e ROLE=probe -e PROBE_URL=${server.url().replace(/\/$/, '')} -e PROBE_TOKEN uptime-monitor`,
    );
    expect(err).not.toContain(made.token);
  });

  it("manages the operator's shared probes through separate routes, and names them as endpoints do", async () => {
    const shared = {
      id: 'pr_1',
      key: 'fra',
      shared: true,
      name: 'Frankfurt',
      region: '',
      status: 'new',
      endpoint_count: 0,
    };
    const until = '2026-11-26T20:00:00.000Z';
    script = ({ method, path }, socket) => {
      if (method === 'GET') return socket.end(json([shared]));
      if (path.endsWith('/rotate')) return socket.end(json({ token: 'ump_new', previous_until: until }));
      if (method === 'DELETE') return socket.end(rawResponse(204));
      const made = JSON.stringify({ ...shared, token: 'ump_0123456789' });
      return socket.end(rawResponse(201, made, { 'Content-Type': 'application/json' }));
    };
    const before = server.seen.length;
    const created = await run(['probes', 'create', 'fra', '--shared']);
    expect(created).toMatchObject({ code: 0, out: 'ump_0123456789\n', err: expect.stringContaining('shared/fra') });
    expect((await run(['probes', 'ls', '--shared'])).out).toContain('shared/fra');
    expect(await run(['probes', 'rotate', 'shared/fra', '--shared', '--grace', '60'])).toMatchObject({
      out: 'ump_new\n',
    });
    expect((await run(['probes', 'rm', 'fra', '--shared'])).out).toBe('Deleted fra. Its token no longer works.\n');
    expect(await run(['probes', 'rm', 'fra'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^No probe of your organization/),
    });
    const list = 'GET /api/v1/shared-probes?limit=1000';
    expect(server.seen.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/shared-probes',
      list,
      list,
      'POST /api/v1/shared-probes/pr_1/rotate',
      list,
      'DELETE /api/v1/shared-probes/pr_1',
      'GET /api/v1/probes?limit=1000',
    ]);
  });

  it('sends its key nowhere else: redirects are not followed', async () => {
    const other = await HttpTarget.listen(always(json([])));
    const { code, err } = await ls(rawResponse(302, '', { Location: other.url('/api/v1/endpoints') }));
    expect([code, err, other.seen]).toEqual([1, expect.stringContaining(`redirects to ${other.url()}`), []]);
    await other.close();
  });

  it('names a service that is not running', async () => {
    const { code, err } = await uptime(`http://127.0.0.1:${await closedPort()}`, KEY, ['ls']);
    expect([code, err]).toEqual([1, expect.stringContaining('refused the connection: is the service running')]);
  });

  it.each([
    ['a missing URL', { UPTIME_URL: '' }, /^Set UPTIME_URL/],
    ['a URL without http', { UPTIME_URL: 'shop.example.com' }, /must be an http:\/\/ or https:\/\/ URL/],
    ['credentials in the URL', { UPTIME_URL: 'http://a:b@127.0.0.1' }, /must not contain credentials/],
    ['a missing key', { UPTIME_API_KEY: '' }, /^Set UPTIME_API_KEY/],
    ['an invalid key', { UPTIME_API_KEY: 'two words' }, /^UPTIME_API_KEY is not an API key/],
  ])('refuses %s before anything is sent', async (_, env, words) => {
    const before = server.seen.length;
    expect(await run(['ls'], { env })).toEqual({ code: 1, out: '', err: expect.stringMatching(words) });
    expect(server.seen).toHaveLength(before);
  });

  it('ls follows the pages of a long list', async () => {
    const endpoint = (id: string) => ({ id, name: id, url: 'x', type: 'TCP', group: 'g', key: null, status: 'up' });
    const pages = [json([endpoint('ep_1')], { 'X-Next-Cursor': 'a/b' }), json([endpoint('ep_2')])];
    script = (_, socket) => socket.end(pages.shift() ?? '');
    expect(await run(['ls', '-q'])).toEqual({ code: 0, out: 'ep_1\nep_2\n', err: '' });
    expect(server.seen.at(-1)?.path).toBe('/api/v1/endpoints?limit=1000&cursor=a%2Fb');
  });

  it('also takes the key from the variable that 0.1.0 used', async () => {
    script = always(json([]));
    expect((await uptime(server.url(), null, ['ls'], { folder, env: { UPTIME_KEY: 'ums_r_old' } })).code).toBe(0);
    expect(sent(server.seen.at(-1), 'authorization')).toBe('Bearer ums_r_old');
  });

  it('accepts the key from a file, and a URL with a path', async () => {
    script = always(json([]));
    writeFileSync(join(folder, 'key'), 'ums_r_other\n');
    const { code } = await run(['--url', server.url('/monitor/api/v1/'), '--key-file', 'key', 'ls', '-q']);
    const asked = server.seen.at(-1);
    expect([code, asked?.path, sent(asked, 'authorization')]).toEqual([
      0,
      '/monitor/api/v1/endpoints?limit=1000',
      'Bearer ums_r_other',
    ]);
  });

  it.each([
    [['plan', 'missing.yaml'], /^The file missing\.yaml does not exist\.$/m],
    [['plan', '.'], /^\. is a directory, not a file\.$/m],
    [['plan', 'latin1.yaml'], /^latin1\.yaml is not UTF-8 text\.$/m],
    [['plan', 'large.yaml'], /^large\.yaml is too large\. All files together can have at most 8 MiB/m],
    [['plan'], /missing required argument 'file'/],
    [['convert', '--from', 'nagios', 'x'], /is invalid\. Allowed choices are uptime-kuma, gatus/],
    [
      ['check', 'front', '--method', 'POST'],
      /^front is not a URL with a scheme\. For an endpoint, only --json and --verbose can/,
    ],
    [['deploy'], /unknown command 'deploy'/],
  ])('%j is refused with an explanation before anything is sent', async (args, words) => {
    writeFileSync(join(folder, 'latin1.yaml'), Buffer.from('name: M\xfcnchen', 'latin1'));
    writeFileSync(join(folder, 'large.yaml'), Buffer.alloc(8 * 1024 * 1024 + 1, 'a'));
    const before = server.seen.length;
    expect(await run(args)).toEqual({ code: 1, out: '', err: expect.stringMatching(words) });
    expect(server.seen).toHaveLength(before);
  });

  it('plan exits with code 2 if something would change, and sends only the secrets that the document refers to', async () => {
    script = planned;
    const stdin = 'version: 1\ncontacts: [{config: {url: {$secret: CHAT}}}]\n';
    const env = { UPTIME_SECRET_CHAT: 'c', UPTIME_SECRET_REST: 'r' };
    const { code, out } = await run(['plan', '-', '--prune'], { stdin, env });
    expect([code, out]).toEqual([2, expect.stringMatching(/^\+ website shop\nPlan: 1 to create/)]);
    const asked = server.seen.at(-1);
    expect([asked?.method, asked?.path, sent(asked, 'content-type'), asked?.body]).toEqual([
      'POST',
      '/api/v1/configuration/plan?prune=true',
      'application/yaml',
      `${stdin}secrets: {"CHAT":"c"}\n`,
    ]);
  });

  it('plan exits with code 0 if nothing would change, and --json prints the response of the API', async () => {
    const nothing = { summary: { ...summary, create: 0 }, changes: [], notes: [] };
    script = always(json(nothing));
    const { code, out } = await run(['plan', '-', '--json'], { stdin: DOCUMENT });
    expect([code, JSON.parse(out)]).toEqual([0, nothing]);
    const asked = server.seen.length;
    expect(await run(['apply', '-'], { stdin: DOCUMENT })).toMatchObject({
      code: 0,
      out: 'Nothing to do: 0 unchanged.\n',
    });
    expect(server.seen.slice(asked).map(({ method }) => method)).toEqual(['POST']);
  });

  it('apply applies the plan it showed and nothing else, by the ID of the plan', async () => {
    script = planned;
    const { code, out } = await run(['apply', '-'], { stdin: DOCUMENT });
    expect([code, out]).toEqual([0, expect.stringMatching(/^\+ website shop\nPlan: .*\nApplied: 1 created/)]);
    const asked = server.seen.at(-1);
    expect([asked?.method, asked?.path, sent(asked, 'if-match'), asked?.body]).toEqual([
      'PUT',
      '/api/v1/configuration',
      '"seen"',
      DOCUMENT,
    ]);
  });

  it.each([
    ['y', [], true],
    ['yes', [], true],
    ['', [], false],
    ['n', [], false],
    ['', ['--yes'], true],
  ])('apply on a terminal, where %j is typed, with %j: applied is %s', async (typed, options, isApplied) => {
    script = planned;
    const asked = server.seen.length;
    const { code, err } = await run(['apply', '-', ...options], { stdin: DOCUMENT, typed });
    expect(code).toBe(isApplied ? 0 : 1);
    expect(err).toBe(options.length > 0 ? '' : `Apply this? [y/N] ${isApplied ? '' : 'Nothing was changed.\n'}`);
    expect(server.seen.slice(asked).map(({ method }) => method)).toEqual(isApplied ? ['POST', 'PUT'] : ['POST']);
  });

  it.each([
    [
      'something has changed since the plan',
      problem(412, { code: 'precondition_failed' }),
      /^Something has changed since this plan .* Nothing was applied/,
    ],
    [
      'the response was lost',
      '',
      /\nThe result is unknown: either everything was applied, or nothing\. Run "uptime plan" to find out\.$/m,
    ],
  ])('apply explains what it means that %s', async (_, response, words) => {
    script = (request, socket) => (request.method === 'PUT' ? void socket.end(response) : planned(request, socket));
    const { code, err } = await run(['apply', '-'], { stdin: DOCUMENT });
    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
  });

  it('shows the position of each error in the file', async () => {
    const errors = [{ pointer: '/websites/0/url', line: 2, code: 'immutable', message: 'url cannot be changed' }];
    script = always(problem(400, { title: 'Some fields are not valid', code: 'validation_failed', errors }));
    writeFileSync(join(folder, 'monitors.yaml'), DOCUMENT);
    const { code, err } = await run(['plan', 'monitors.yaml']);
    expect([code, err]).toEqual([
      1,
      'monitors.yaml:2: /websites/0/url: url cannot be changed\nSome fields are not valid. (400 validation_failed)\n',
    ]);
  });

  it('convert prints the document as YAML, and lists each lost setting with its file and line', async () => {
    const report = [
      { at: 'line 1', name: 'front', result: 'mapped', why: null },
      { at: 'line 4', name: 'job', result: 'skipped', why: 'it is not known here' },
    ];
    script = always(json({ document: { version: 1, websites: [{ key: 'shop' }] }, report }));
    writeFileSync(join(folder, 'a.yaml'), 'a: 1\nb: 2\n');
    writeFileSync(join(folder, 'b.yaml'), 'c: 3\n');
    const { code, out, err } = await run(['convert', '--from', 'gatus', 'a.yaml', 'b.yaml']);
    expect([code, out]).toEqual([0, 'version: 1\nwebsites:\n  - {key: shop}\n']);
    expect(err).toBe('skipped       job: it is not known here  (b.yaml:1)\n1 mapped, 0 approximated, 1 skipped.\n');
    expect(server.seen.at(-1)).toMatchObject({
      path: '/api/v1/configuration/convert?from=gatus',
      body: 'a: 1\nb: 2\n---\nc: 3\n',
    });
  });

  it('tail resumes after the last event if the connection is lost, and exits if the key is refused', async () => {
    const event = (id: string) =>
      `id: ${id}\nevent: check\ndata: {"checked_at":"${id}","status":"up","previous_status":"down","endpoint_name":"F"}\n\n`;
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';
    const responses = [head + event('a') + event('b'), head + event('c'), problem(401, {})];
    const asked = server.seen.length;
    script = (_, socket) => socket.end(responses.shift() ?? '');
    const { code, out, err } = await run(['tail']);
    expect(out).toBe(['a', 'b', 'c'].map((id) => `${id}  up         F  was down\n`).join(''));
    expect(code).toBe(1);
    // Printed each time that the stream ended properly, because a terminal must not look alive while nothing arrives.
    const ended = 'The service closed the stream. Trying again.\n';
    expect(err).toMatch(new RegExp(`^${ended}${ended}The API key was not accepted`));
    expect(server.seen.slice(asked).map((request) => sent(request, 'last-event-id'))).toEqual([undefined, 'b', 'c']);
  });

  it('tail collects no event without an end', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';
    const responses = [`${head}data: ${'x'.repeat(2 ** 21)}`, problem(401, {})];
    script = (_, socket) => socket.end(responses.shift() ?? '');
    const { code, out, err } = await run(['tail']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^The connection was lost \(.* 1048576 .*\)\. Trying again\.\nThe API key was not accepted/);
  });

  it('check sends the service exactly the request of its options', async () => {
    script = always(json({ outcome: 'up', duration_ms: 1, phases: {}, redirects: [] }));
    const asked = async (...args: string[]): Promise<unknown> => {
      expect(await run(['check', ...args])).toMatchObject({ code: 0, err: '' });
      return JSON.parse(server.seen.at(-1)?.body ?? '');
    };
    const target = { name: 'uptime check', type: 'HTTPS', url: 'https://shop.example.com' };
    expect(await asked(target.url)).toEqual(target);
    expect(await asked(target.url, '--warn-days', 'none')).toEqual({ ...target, tls: { warn_days: null } });
    expect(await run(['check', target.url, '--warn-days', '91'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('--warn-days must be a whole number from 0 to 90, or "none"'),
    });
    const http = ['--method', 'post', '--header', 'X-Probe: yes', '--body', 'ping', '--no-follow', '--timeout', '5'];
    const rest = ['--server-name', 'shop.internal', '--warn-days', '30', '--warn', 'certificate_days greater_than 14'];
    expect(await asked('https', target.url, ...http, ...rest)).toEqual({
      ...target,
      method: 'POST',
      headers: [{ key: 'X-Probe', value: 'yes' }],
      body: 'ping',
      follow_redirects: false,
      timeout: 5,
      tls: { verify: true, ca: null, server_name: 'shop.internal', warn_days: 30 },
      assertions: [{ source: 'certificate_days', comparison: 'greater_than', target: '14', severity: 'warning' }],
    });
  });

  it('prints its version for bug reports', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await run(['--version'])).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
  });

  it('apply asks for confirmation on a terminal, and Ctrl-C counts as no', async () => {
    script = planned;
    writeFileSync(join(folder, 'monitors.yaml'), DOCUMENT);
    const asked = server.seen.length;
    const command = `exec ${process.execPath} -r ./scripts/typescript.cjs packages/cli/uptime.ts apply ${folder}/monitors.yaml`;
    const terminal = onTerminal(command, ROOT, { UPTIME_URL: server.url(), UPTIME_API_KEY: KEY });
    await eventually('the question', () => terminal.shown.includes('Apply this? [y/N]'));
    expect(await terminal.interrupt()).toBe(1);
    expect(terminal.shown).toMatch(/\+ website shop[^]*Nothing was changed\./);
    expect(server.seen.slice(asked).map(({ method }) => method)).toEqual(['POST']);
  });

  it('explains every command in its help, and exits with the exit code of the command', async () => {
    script = planned;
    const program = (...args: string[]) =>
      new Promise<{ code: number | null; stdout: string; stderr: string }>((settle) => {
        const child = execFile(
          process.execPath,
          ['-r', './scripts/typescript.cjs', 'packages/cli/uptime.ts', ...args],
          { cwd: ROOT, env: { PATH: process.env['PATH'], UPTIME_URL: server.url(), UPTIME_API_KEY: KEY } },
          (_, stdout, stderr) => settle({ code: child.exitCode, stdout, stderr }),
        );
        child.stdin?.end(DOCUMENT);
      });
    const [help, plan, mistake] = await Promise.all([
      program('--help'),
      program('plan', '-'),
      program('plan', '--colour'),
    ]);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const word of ['plan', 'apply', 'export', 'convert', 'ls', 'check', 'tail', 'UPTIME_API_KEY', 'Exit code'])
      expect(help.stdout).toContain(word);
    expect([plan.code, plan.stdout]).toEqual([2, expect.stringMatching(/^\+ website shop\n/)]);
    expect([mistake.code, mistake.stdout]).toEqual([1, '']);
  });
});
