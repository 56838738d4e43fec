/** @lane slow */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rawResponse, always, HttpTarget, sent } from '../../../packages/testing/servers/http-target';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { uptime } from '../../harness/processes/uptime-command';
import { selfSigned } from '../../harness/servers/tls-authority';

const ROOT = join(__dirname, '../../..');

/** Runs the command without the URL of a service and without a key. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  uptime('', null, ['check', '--local', ...args], { env });

describe('The command uptime check --local', () => {
  let web: HttpTarget;

  beforeAll(async () => {
    web = await HttpTarget.listen(always(rawResponse(200, 'hello')));
  });
  afterAll(() => web.close());

  it('prints outcome and phases of a target that is up, and exits with 0', async () => {
    const request = ['--header', 'X-Probe: yes', '--header', 'X-Other: no', '--method', 'head'];
    const { code, out } = await run([web.url(), '--verbose', ...request]);
    expect(out).toMatch(/^up {2}http:\S+ {2}[\d.]+ ms, status 200, 127\.0\.0\.1\n/);
    expect(out).toMatch(/connect +[\d.]+ ms/);
    expect(out).toMatch(/first byte +[\d.]+ ms/);
    expect(code).toBe(0);
    expect(web.seen.at(-1)?.method).toBe('HEAD');
    expect([sent(web.seen.at(-1), 'x-probe'), sent(web.seen.at(-1), 'x-other')]).toEqual(['yes', 'no']);
  });

  it('is the same as npm run check-url, with the type before the url', async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['check-url']).toMatch(/dist\/cli\/uptime\.js check --local --verbose$/);
    expect(await run(['HTTP', web.url()])).toMatchObject({ code: 0, err: '' });
  });

  it('prints that a target is up with a warning, and which, and exits with 0', async () => {
    const args = [web.url(), '--assert', 'status_code in 200-299', '--warn', 'body contains goodbye'];
    const { code, out } = await run(args);
    expect(out).toMatch(/^up {2}.*\n {2}assertion_failed: Expected body to contain goodbye, but it was/);
    expect(code).toBe(0);
  });

  it('prints a warning as JSON with exit code 0, and no warning next to an error, with exit code 2', async () => {
    const json = async (...args: string[]) => {
      const { code, out } = await run([web.url(), '--json', ...args]);
      return { code, result: JSON.parse(out) as object };
    };
    const warn = ['--warn', 'header X-Cache equals HIT'];
    expect(await json(...warn)).toMatchObject({
      code: 0,
      result: { outcome: 'up', error: null, warning: { code: 'assertion_failed', phase: 'assertion' } },
    });
    expect(await json(...warn, '--assert', 'json $.status equals ok')).toMatchObject({
      code: 2,
      result: { outcome: 'down', error: { code: 'assertion_failed' }, warning: null },
    });
  });

  it('exits with 2 when the target is down, and prints the error as JSON', async () => {
    const { code, out } = await run(['--type', 'tcp', `127.0.0.1:${await closedPort()}`, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'down',
      address: '127.0.0.1',
      error: { code: 'connection_refused', phase: 'connect' },
    });
    expect(code).toBe(2);
  });

  it('keeps to the time limit', async () => {
    const mute = await TcpTarget.listen(silence);
    const { code, out } = await run([`http://${mute.authority}/`, '--timeout', '0.3', '--json']);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'down', error: { code: 'first_byte_timeout' } });
    expect(code).toBe(2);
    await mute.close();
  });

  it('checks with a certificate to be trusted, another name, or without verifying', async () => {
    const { key, cert } = await selfSigned({ names: ['shop.internal'] });
    const secure = await HttpTarget.listen(always(rawResponse(200)), { tls: { key, cert } });
    const file = join(mkdtempSync(join(tmpdir(), 'ca-')), 'ca.pem');
    writeFileSync(file, cert);
    const codeWith = async (...args: string[]) => (await run([secure.url(), ...args])).code;
    expect(await codeWith()).toBe(2);
    expect(await codeWith('--insecure')).toBe(0);
    expect(await codeWith('--ca', file)).toBe(2);
    expect(await codeWith('--ca', file, '--server-name', 'Shop.Internal')).toBe(0);
    rmSync(dirname(file), { recursive: true });
    await secure.close();
  });

  it('exits with 2 when the outcome is unknown', async () => {
    const { code, out } = await run([web.url(), '--json'], { EGRESS_PRIVATE: 'deny' });
    expect(JSON.parse(out)).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
    expect(code).toBe(2);
  });

  it.each([
    [[], 'missing required argument'],
    [['shop.example.com'], 'With --type, such as --type TCP, a target needs no scheme'],
    [['http', 'http://a', 'http://b'], 'The check command takes only one target'],
    [['gopher', 'x'], 'the type must be one of HTTP, HTTPS, TCP, DNS, ICMP, SSH'],
    [['tcp', 'example.com'], 'the accepted form is tcp://host:port'],
    [['tcp', 'a:1', '--timeout', '0'], '--timeout'],
    [['http', 'http://a', '--header', 'Host: b'], '--header'],
    [['http', 'http://a', '--colour'], '--colour'],
    [['http', 'http://a', '--warn', 'it is fast'], 'SOURCE [PROPERTY] COMPARISON TARGET'],
    [['http', 'http://a', '--assert', 'colour equals red'], 'where SOURCE is one of status_code'],
    [['http', 'http://a', '--assert', 'header equals x'], 'property must be the name of a header'],
    [['http', 'http://a', '--warn', 'response_time less_than soon'], 'target must be a number'],
    [['tcp', 'a:1', '--warn', 'body contains x'], 'supports only the sources response_time'],
    [['https', 'https://a/', '--insecure', '--header', 'Cookie: a=b'], '--insecure: verify cannot be false'],
    [['https', 'https://a/', '--ca', '/nowhere.pem'], '--ca: the file /nowhere.pem cannot be read: ENOENT'],
    [['https', 'https://a/', '--ca', __filename], '--ca: ca must contain certificates in PEM'],
    [['https', 'https://a/', '--server-name', '192.0.2.1'], '--server-name: server_name must be a host name'],
  ])('exits with 1 and prints the mistake in %j', async (args, complaint) => {
    expect(await run(args)).toEqual({ code: 1, out: '', err: expect.stringContaining(complaint) });
  });

  it('names a setting that is not valid', async () => {
    const { code, err } = await run(['tcp', 'a:1'], { EGRESS_DENY: 'everything' });
    expect([code, err]).toEqual([1, expect.stringContaining('EGRESS_DENY')]);
  });
});
