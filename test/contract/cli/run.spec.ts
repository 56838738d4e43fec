/** @lane slow */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { eventually } from '../../../packages/testing/eventually';
import { HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';

const ROOT = join(__dirname, '../../..');
const PROGRAM = ['-r', './scripts/typescript.cjs', 'packages/cli/uptime.ts', 'run', '--'];

/** A service with two heartbeats in a website, one of which is masked. */
function apiResponse(path: string): string {
  const json = (body: unknown) => rawResponse(200, JSON.stringify(body), { 'Content-Type': 'application/json' });
  if (path.startsWith('/api/v1/websites/')) return json({ key: 'shop' });
  const [, key = ''] = /[?&]key=([a-z]+)/.exec(path) ?? [];
  return json([
    { id: 'ep_1', website_id: 'ws_1', key, heartbeat: { ping_id: key === 'backup' ? 'found' : '********' } },
  ]);
}

describe('The command uptime run', () => {
  let server: HttpTarget;

  beforeAll(async () => {
    server = await HttpTarget.listen(({ path }, socket) => {
      if (path.startsWith('/api/v1/')) socket.end(apiResponse(path));
      else socket.end(rawResponse(path.startsWith('/ping/secret/') ? 503 : 200, ''));
    });
  });
  afterAll(() => server.close());

  const begin = (url: string, ...command: string[]): ChildProcess =>
    spawn(process.execPath, [...PROGRAM, ...command], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], UPTIME_PING_URL: url },
    });

  async function finish(child: ChildProcess) {
    const ended = once(child, 'exit');
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('it was started with pipes');
    const [out, err] = await Promise.all([text(stdout), text(stderr)]);
    const [code] = (await ended) as [number | null];
    return { code, out, err };
  }

  const told = (job: string) =>
    server.seen
      .filter(({ path }) => path.startsWith(`/ping/${job}/`))
      .map(({ method, path, body }) => [method, path.replace(/rid=[0-9a-f-]{36}$/, 'rid=…'), body]);

  it('reports the start of one run, then its exit code with the output', async () => {
    const job = 'echo rows; echo slow > /dev/stderr; exit 3';
    const { code, out, err } = await finish(begin(server.url('/ping/nightly'), 'sh', '-c', job));
    expect({ code, out, err }).toEqual({ code: 3, out: 'rows\n', err: 'slow\n' });
    const [start, end] = told('nightly');
    expect(start).toEqual(['POST', '/ping/nightly/start?rid=…', '']);
    expect(end?.slice(0, 2)).toEqual(['POST', '/ping/nightly/3?rid=…']);
    expect(end?.[2]?.split('\n').toSorted()).toEqual(['', 'rows', 'slow']);
    const runs = server.seen.filter(({ path }) => path.startsWith('/ping/nightly/'));
    expect(new Set(runs.map(({ path }) => path.split('rid=')[1])).size).toBe(1);
  });

  it('passes signals on, and exits with the code that a shell would use', async () => {
    const child = begin(server.url('/ping/stopped'), 'sh', '-c', 'echo up; exec sleep 600');
    const ended = finish(child);
    await eventually('the start', () => told('stopped').length > 0);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143, out: 'up\n' });
    expect(told('stopped').at(-1)).toEqual(['POST', '/ping/stopped/143?rid=…', 'up\n']);
  });

  it('never fails the job: a service that is away is a line on standard error, without the address', async () => {
    const child = begin(server.url('/ping/secret'), 'echo', 'done');
    const ended = finish(child);
    await eventually('the first attempt to tell the end', () => told('secret').length > 1);
    // The user does not want to wait for the retries.
    child.kill('SIGINT');
    const { code, out, err } = await ended;
    expect([code, out]).toEqual([0, 'done\n']);
    expect(err).toBe(
      'uptime run: could not send ping: a signal arrived before the service received the end of the run\n',
    );
  });

  it('reports the exit code of a command that does not exist, and runs a job without a ping URL', async () => {
    const [missing, plain] = await Promise.all([
      finish(begin(server.url('/ping/missing'), 'no-such-program')),
      finish(begin('', 'sh', '-c', 'exit 4')),
    ]);
    expect(missing).toEqual({ code: 127, out: '', err: 'no-such-program: command not found\n' });
    expect(told('missing').at(-1)).toEqual(['POST', '/ping/missing/127?rid=…', 'no-such-program: command not found']);
    expect([plain.code, plain.err]).toEqual([4, expect.stringContaining('UPTIME_PING_URL is not set')]);
  });

  it('finds the ping URL by a key path, with a key that may see it', async () => {
    const job = (more: string[]): ChildProcess =>
      spawn(process.execPath, [...PROGRAM.slice(0, -1), ...more, '--', 'true'], {
        cwd: ROOT,
        env: { PATH: process.env['PATH'], UPTIME_URL: server.url(), UPTIME_API_KEY: 'ums_w_0123456789' },
      });
    const [found, masked] = await Promise.all([
      finish(job(['backup', '--website', 'shop'])),
      finish(job(['hidden', '--website', 'shop'])),
    ]);
    expect([found.code, found.err]).toEqual([0, '']);
    expect(told('found').map(([, path]) => path)).toEqual(['/ping/found/start?rid=…', '/ping/found/0?rid=…']);
    expect([masked.code, masked.err]).toEqual([0, expect.stringContaining('It needs the role "write"')]);
  });

  it('leaves a job alone whose reader has gone: it ends by SIGPIPE as in a shell', async () => {
    const child = begin(server.url('/ping/piped'), 'yes');
    child.stdout?.once('data', () => child.stdout?.destroy());
    await once(child, 'exit');
    expect(child.exitCode).toBe(141);
    expect(told('piped').at(-1)?.slice(0, 2)).toEqual(['POST', '/ping/piped/141?rid=…']);
  });
});
