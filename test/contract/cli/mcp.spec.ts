/** @lane slow */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../../packages/testing/eventually';
import { McpProcess, PlainMcp } from '../../harness/processes/mcp-process';
import {
  always,
  type HttpScript,
  HttpTarget,
  rawResponse,
  type SeenRequest,
  sent,
} from '../../../packages/testing/servers/http-target';
import { closedPort } from '../../../packages/testing/servers/tcp-target';

const KEY = 'ums_w_0123456789';
const json = (body: unknown, headers = {}) =>
  rawResponse(200, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });
const problem = (status: number, body: object, headers = {}) =>
  rawResponse(status, JSON.stringify(body), { 'Content-Type': 'application/problem+json', ...headers });
const organization = (role: string) => json({ name: 'Shop', key_name: 'assistant', role });
const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
};

describe('The command uptime mcp', () => {
  let script: HttpScript;
  let server: HttpTarget;
  let mcp: McpProcess;

  const asOrganization =
    (others: HttpScript): HttpScript =>
    (request, socket) =>
      request.path === '/api/v1/organization' ? void socket.end(organization('write')) : others(request, socket);

  beforeAll(async () => {
    script = asOrganization(always(json([])));
    server = await HttpTarget.listen((request, socket) => script(request, socket));
    mcp = await McpProcess.start(server.url(), KEY);
  });
  afterAll(async () => {
    await mcp.close();
    await server.close();
  });

  const asked = (): SeenRequest | undefined => server.seen.at(-1);

  describe('refuses to start and explains why on standard error', () => {
    it.each([
      ['with a wrong key', problem(401, { title: 'No' }), /^The API key was not accepted \(401\)/],
      ['while the service is overloaded', problem(503, { title: 'Busy' }, { 'Retry-After': '7' }), /Try again in 7 s/],
      [
        'at the URL of another program',
        rawResponse(200, '<html>', { 'Content-Type': 'text/html' }),
        /not a response of this API/,
      ],
      ['at the URL of another API', json({ hello: 'world' }), /a response that this version of uptime cannot read/],
    ])('%s', async (_, response, words) => {
      const other = await HttpTarget.listen(always(response));
      expect(await PlainMcp.start(other.url(), KEY).end()).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(words),
      });
      await other.close();
    });

    it('if there is no service', async () => {
      const { code, out, err } = await PlainMcp.start(`http://127.0.0.1:${await closedPort()}`, KEY).end();
      expect([code, out, err]).toEqual([1, '', expect.stringContaining('refused the connection')]);
    });

    it('if its optional package is missing, which it names', async () => {
      const { code, out, err } = await PlainMcp.start(server.url(), KEY, [
        './test/harness/processes/without-package.cjs',
      ]).end();
      expect([code, out, err]).toEqual([
        1,
        '',
        'uptime mcp needs the optional package @modelcontextprotocol/server, which is not installed. Run npm install --include=optional to install it.\n',
      ]);
    });
  });

  // The last case shows that the others could fail.
  it.each([
    ['the service', './src/app', 0],
    ['the command, until it serves,', './packages/cli/mcp/mcp-command', 0],
    ['the code that serves', './packages/cli/mcp/mcp-server', expect.any(Number)],
  ])('%s loads as much of the optional packages as it needs', async (_, file, expected) => {
    const count = `Object.keys(require.cache).filter((name) => /node_modules.(@modelcontextprotocol|zod)\\b/.test(name)).length`;
    const run = promisify(execFile);
    const args = [
      '-r',
      './scripts/typescript.cjs',
      '-e',
      `require('reflect-metadata'); require('${file}'); console.log(${count})`,
    ];
    const { stdout } = await run(process.execPath, args, { cwd: join(__dirname, '../../..') });
    const loaded = Number(stdout);
    expect([loaded, loaded > 0]).toEqual([expected, expected !== 0]);
  });

  describe('exits', () => {
    const begun = async (): Promise<PlainMcp> => {
      const plain = PlainMcp.start(server.url(), KEY);
      plain.send(INITIALIZE);
      expect(JSON.parse(await plain.line())).toMatchObject({ id: 1, result: { serverInfo: { name: 'uptime' } } });
      return plain;
    };

    it('with code 0 when its input is closed, and has written nothing but the protocol', async () => {
      const plain = await begun();
      plain.closeInput();
      const { code, out, err } = await plain.end();
      expect([code, err]).toEqual([0, '']);
      for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    });

    it('with code 0 when its input is closed before the first message', async () => {
      const plain = PlainMcp.start(server.url(), KEY);
      plain.closeInput();
      expect(await plain.end()).toEqual({ code: 0, out: '', err: '' });
    });

    it.each(['SIGTERM', 'SIGINT'] as const)('with code 0 on %s', async (signal) => {
      const plain = await begun();
      plain.signal(signal);
      expect(await plain.end()).toMatchObject({ code: 0, err: '' });
    });

    it('with code 0 while a call is running, whose request to the service ends with it', async () => {
      const plain = await begun();
      const gone = new Promise((settle) => {
        script = asOrganization((_, socket) => socket.once('close', settle));
      });
      const before = server.seen.length;
      plain.send({ method: 'notifications/initialized' });
      plain.send({ id: 2, method: 'tools/call', params: { name: 'overview', arguments: {} } });
      await eventually('the request', () => server.seen.length > before);
      plain.closeInput();
      await gone;
      expect(await plain.end()).toMatchObject({ code: 0, err: '' });
    });
  });

  it('a cancelled call ends its request to the service', async () => {
    const gone = new Promise((settle) => {
      script = asOrganization((_, socket) => socket.once('close', settle));
    });
    const before = server.seen.length;
    const cancel = new AbortController();
    const call = mcp.call('list_endpoints', {}, { signal: cancel.signal }).catch((error: unknown) => error);
    await eventually('the request', () => server.seen.length > before);
    cancel.abort();
    expect(await call).toBeInstanceOf(Error);
    await gone;
    script = asOrganization(always(json([])));
    expect((await mcp.call('list_endpoints')).isError).toBe(false);
  });

  it.each([
    [
      'too many requests',
      problem(429, { code: 'rate_limited', title: 'Too many requests' }, { 'Retry-After': '7' }),
      {
        status: 429,
        code: 'rate_limited',
        retry_after_seconds: 7,
        what_to_do: 'Nothing was done. Wait 7 s, then call it again.',
      },
    ],
    [
      'an overloaded service',
      problem(503, { code: 'temporarily_unavailable' }, { 'Retry-After': '1' }),
      { status: 503, retry_after_seconds: 1 },
    ],
    [
      'a key that was revoked',
      problem(401, { code: 'unauthenticated' }),
      { status: 401, what_to_do: expect.stringMatching(/different key/) },
    ],
    [
      'a key without the role',
      problem(403, { code: 'insufficient_role', detail: 'It needs "write".' }),
      { status: 403, detail: 'It needs "write".', what_to_do: expect.stringMatching(/Do not look for a way around/) },
    ],
    [
      'an internal error of the service',
      problem(500, { code: 'internal_error', request_id: 'req_1' }),
      { status: 500, request_id: 'req_1' },
    ],
    [
      'wrong fields',
      problem(400, {
        code: 'validation_failed',
        errors: [{ pointer: '/url', code: 'not_a_url', message: 'url is none' }],
      }),
      { status: 400, fields: [{ pointer: '/url', code: 'not_a_url', message: 'url is none' }] },
    ],
    ['a lost connection', '', { status: null, code: 'no_usable_response', what_to_do: expect.stringMatching(/later/) }],
    ['another program at the URL', json({ hello: 'world' }), { status: null, code: 'no_usable_response' }],
  ])('reports %s as an error of the tool, with advice', async (_, response, expected) => {
    script = always(response);
    expect(await mcp.refused('overview')).toMatchObject(expected);
  });

  it('escapes invisible characters in the data, in its text, and in errors', async () => {
    const endpoint = {
      id: 'ep_1',
      name: 'Fr\u202eont\u001b[2J',
      url: 'x',
      type: 'TCP',
      key: null,
      website_id: 'ws_1',
      group: 'Shop',
      enabled: true,
      interval: 60,
      tags: [],
      status: 'up',
      degraded: false,
      maintenance: null,
      acknowledgement: null,
      last_checked_at: null,
      locations: ['local'],
    };
    script = always(json([endpoint]));
    const { text, data } = await mcp.call<{ endpoints: { name: string }[] }>('list_endpoints');
    expect(data.endpoints[0]?.name).toBe('Fr\\u{202e}ont\\u{1b}[2J');
    expect(JSON.parse(text.slice(text.indexOf('\n')))).toEqual(data);
    script = always(problem(409, { code: 'conflict', detail: 'No\u0007.' }));
    expect((await mcp.refused('list_endpoints')).detail).toBe('No\\u{7}.');
  });

  it('reports that a change without a response may have been made', async () => {
    script = always('');
    const apply = { document: 'version: 1', etag: 'abcdefghijkl' };
    expect((await mcp.refused('apply_configuration', apply)).what_to_do).toMatch(
      /^The change may or may not have been made/,
    );
    script = always(problem(412, { code: 'precondition_failed' }));
    expect((await mcp.refused('apply_configuration', apply)).what_to_do).toMatch(/plan_configuration/);
    expect([asked()?.method, asked()?.path, sent(asked(), 'if-match'), asked()?.body]).toEqual([
      'PUT',
      '/api/v1/configuration',
      '"abcdefghijkl"',
      'version: 1',
    ]);
  });

  it.each([
    ['an etag that matches anything', 'apply_configuration', { document: 'version: 1', etag: '*' }],
    ['no etag', 'apply_configuration', { document: 'version: 1' }],
    ['a field that the tool does not have', 'overview', { sites: 'all' }],
    ['a list without a limit', 'list_endpoints', { limit: 100_000 }],
    ['both an endpoint and a website', 'mute', { endpoint: 'a', website: 'b', minutes: 5, reason: 'x' }],
    ['neither a website nor a new one', 'create_endpoint', { name: 'a', url: 'https://a.example.com' }],
  ])('refuses %s before anything is sent', async (_, name, args) => {
    const before = server.seen.length;
    const { isError, text } = await mcp.call(name, args);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Input validation error/)]);
    expect(server.seen).toHaveLength(before);
  });

  it('takes the time from the service: this machine’s clock does not decide when a window starts', async () => {
    const id = `ws_${'0'.repeat(26)}`;
    const window = { id: 'mw_1', name: 'Work', mute: true, exclude_from_uptime: false, status: 'active' };
    script = ({ method }, socket) =>
      socket.end(
        method === 'GET'
          ? json({ id, name: 'Shop', url: 'https://a', key: null }, { Date: 'Fri, 02 Jan 2026 03:04:05 GMT' })
          : json({ ...window, starts_at: null, ends_at: null }),
      );
    await mcp.call('mute', { website: id, minutes: 30, reason: 'Work' });
    expect(JSON.parse(asked()?.body ?? '')).toEqual({
      name: 'Work',
      scope: { website_ids: [id] },
      starts_at: '2026-01-02T03:04:05.000Z',
      ends_at: '2026-01-02T03:34:05.000Z',
      mute: true,
      exclude_from_uptime: false,
      public: false,
    });
  });

  it('shows a plan of bounded size, with deletions first', async () => {
    const change = (action: string, key: string) => ({ action, resource: 'endpoint', key, id: null, fields: [] });
    const changes = [
      ...Array.from({ length: 150 }, (_, index) => change('create', `new-${index}`)),
      change('delete', 'shop/front'),
    ];
    const summary = { create: 150, update: 0, adopt: 0, delete: 1, unchanged: 0 };
    script = always(json({ summary, changes, notes: [] }, { ETag: '"abcdefghijkl"' }));
    interface Plan {
      changes: { key: string }[];
      changes_omitted: number;
      etag: string;
    }
    const { data } = await mcp.call<Plan>('plan_configuration', { document: 'version: 1', prune: true });
    expect([data.changes.length, data.changes_omitted, data.changes[0]?.key, data.etag]).toEqual([
      100,
      51,
      'shop/front',
      'abcdefghijkl',
    ]);
    expect(asked()?.path).toBe('/api/v1/configuration/plan?prune=true');
  });

  it('has written nothing to standard error: nothing of this was a bug', () => {
    expect(mcp.errors).toBe('');
  });
});
