/** @lane slow */
import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCheckUrl } from '../../../packages/cli/check-url-command';
import { rawResponse, always, HttpTarget, sent } from '../../../packages/testing/servers/http-target';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { selfSigned } from '../../harness/servers/tls-authority';

const ROOT = join(__dirname, '../../..');

/** Runs the command from the sources: its exit code and what it wrote to each stream. */
function spawnCheckUrl(args: string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['-r', './scripts/typescript.cjs', 'packages/cli/check-url.ts', ...args],
      { cwd: ROOT },
      (_error, stdout) => resolve({ code: child.exitCode ?? -1, stdout }),
    );
  });
}

describe('The command check-url', () => {
  let web: HttpTarget;

  beforeAll(async () => {
    web = await HttpTarget.listen(always(rawResponse(200, 'hello')));
  });
  afterAll(() => web.close());

  it('prints outcome and phases of a target that is up, and exits with 0', async () => {
    const { exitCode, text } = await runCheckUrl(
      ['http', web.url(), '--header', 'X-Probe: yes', '--method', 'head'],
      {},
    );
    expect(text).toMatch(/^UP {2}HTTP http:/);
    expect(text).toMatch(/connect +[\d.]+ ms/);
    expect(text).toMatch(/first byte +[\d.]+ ms/);
    expect(text).toMatch(/status +200/);
    expect(exitCode).toBe(0);
    expect(web.seen.at(-1)?.method).toBe('HEAD');
    expect(sent(web.seen.at(-1), 'x-probe')).toBe('yes');
  });

  it('prints that a target is up with a warning, and which, and exits with 0', async () => {
    const args = ['http', web.url(), '--assert', 'status_code in 200-299', '--warn', 'body contains goodbye'];
    const { exitCode, text } = await runCheckUrl(args, {});
    expect(text).toMatch(/^UP, with a warning {2}HTTP http:/);
    expect(text).toMatch(/warning +assertion_failed \(assertion\)\n +Expected body to contain goodbye, but it was/);
    expect(exitCode).toBe(0);
  });

  it('prints a warning as JSON, with exit code 0, and none beside an error, with exit code 1', async () => {
    const run = async (...args: string[]) => {
      const { code, stdout } = await spawnCheckUrl(['HTTP', web.url(), '--json', ...args]);
      return { code, result: JSON.parse(stdout) as object };
    };
    const warn = ['--warn', 'header X-Cache equals HIT'];
    expect(await run(...warn)).toMatchObject({
      code: 0,
      result: { outcome: 'up', error: null, warning: { code: 'assertion_failed', phase: 'assertion' } },
    });
    expect(await run(...warn, '--assert', 'json $.status equals ok')).toMatchObject({
      code: 1,
      result: { outcome: 'down', error: { code: 'assertion_failed' }, warning: null },
    });
  });

  it('exits with 1 when the target is down, and prints the error as JSON', async () => {
    const { code, stdout } = await spawnCheckUrl(['TCP', `127.0.0.1:${await closedPort()}`, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'down',
      address: '127.0.0.1',
      error: { code: 'connection_refused', phase: 'connect' },
    });
    expect(code).toBe(1);
  });

  it('keeps to the time limit of check-url', async () => {
    const mute = await TcpTarget.listen(silence);
    const args = ['HTTP', `http://${mute.authority}/`, '--timeout', '0.3', '--json'];
    const { exitCode, text } = await runCheckUrl(args, {});
    expect(JSON.parse(text)).toMatchObject({ outcome: 'down', error: { code: 'first_byte_timeout' } });
    expect(exitCode).toBe(1);
    await mute.close();
  });

  it('checks with a certificate to be trusted, another name, or without verifying', async () => {
    const { key, cert } = await selfSigned({ names: ['shop.internal'] });
    const secure = await HttpTarget.listen(always(rawResponse(200)), { tls: { key, cert } });
    const file = join(mkdtempSync(join(tmpdir(), 'ca-')), 'ca.pem');
    writeFileSync(file, cert);
    const codeWith = async (...args: string[]) => (await runCheckUrl(['https', secure.url(), ...args], {})).exitCode;
    expect(await codeWith()).toBe(1);
    expect(await codeWith('--insecure')).toBe(0);
    expect(await codeWith('--ca', file)).toBe(1);
    expect(await codeWith('--ca', file, '--server-name', 'Shop.Internal')).toBe(0);
    rmSync(dirname(file), { recursive: true });
    await secure.close();
  });

  it('exits with 2 when the outcome is unknown', async () => {
    const { exitCode, text } = await runCheckUrl(['http', web.url(), '--json'], { EGRESS_PRIVATE: 'deny' });
    expect(JSON.parse(text)).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
    expect(exitCode).toBe(2);
  });

  it.each([
    [[], 'usage:'],
    [['gopher', 'x'], 'the type must be one of HTTP, HTTPS, TCP, DNS, ICMP, SSH'],
    [['tcp', 'example.com'], 'the accepted form is tcp://host:port'],
    [['tcp', 'a:1', '--timeout', '0'], '--timeout'],
    [['http', 'http://a', '--header', 'Host: b'], '--header'],
    [['http', 'http://a', '--colour'], '--colour'],
    [['http', 'http://a', '--warn', 'it is fast'], 'SOURCE [PROPERTY] COMPARISON TARGET'],
    [['http', 'http://a', '--assert', 'colour equals red'], 'a source being one of status_code'],
    [['http', 'http://a', '--assert', 'header equals x'], 'property must be the name of a header'],
    [['http', 'http://a', '--warn', 'response_time less_than soon'], 'target must be a number'],
    [['tcp', 'a:1', '--warn', 'body contains x'], 'offers the sources response_time'],
    [['https', 'https://a/', '--insecure', '--header', 'Cookie: a=b'], '--insecure: verify cannot be false'],
    [['https', 'https://a/', '--ca', '/nowhere.pem'], '--ca: the file /nowhere.pem cannot be read: ENOENT'],
    [['https', 'https://a/', '--ca', __filename], '--ca: ca must hold certificates in PEM'],
    [['https', 'https://a/', '--server-name', '192.0.2.1'], '--server-name: server_name must be a host name'],
  ])('exits with 2 and prints the mistake in %j', async (args, complaint) => {
    expect(await runCheckUrl(args, {})).toEqual({
      exitCode: 2,
      text: expect.stringContaining(complaint) as string,
      isOutput: false,
    });
  });

  it('names a setting that is not valid', async () => {
    const { exitCode, text } = await runCheckUrl(['tcp', 'a:1'], { EGRESS_DENY: 'everything' });
    expect(text).toContain('EGRESS_DENY');
    expect(exitCode).toBe(2);
  });

  it('prints its usage with --help', async () => {
    const { exitCode, text } = await runCheckUrl(['--help'], {});
    expect(text).toContain('usage:');
    expect(exitCode).toBe(0);
  });
});
