import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { SshChecker } from '../../../src/checker/ssh/ssh.checker';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { OutboundError, OutboundHttp } from '../../../src/platform/net/http/outbound-http';
import { runCheck } from '../../../packages/testing/checker/describe-checker';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { HttpTarget } from '../../../packages/testing/servers/http-target';
import { httpCases, httpScript } from '../../harness/field/field-targets';

const dialer = dialerWith();
const checker = new HttpChecker(new HttpCheck(dialer));

describe.each(httpCases())('$name', (given) => {
  let target: HttpTarget;

  beforeAll(async () => {
    target = await HttpTarget.listen(httpScript(given));
  });
  afterAll(() => target.close());

  it.each(given.checks)('is $outcome for an HTTP check ($#)', async (check) => {
    const result = await runCheck(checker, target.url(check.path), {
      method: check.method ?? 'GET',
      headers: check.headers ?? [],
      assertions: check.assertions ?? [],
      followRedirects: check.follow_redirects ?? true,
    });
    expect(result.error?.message ?? '').toContain(check.message ?? '');
    expect([result.outcome, result.error]).toEqual([
      check.outcome,
      check.code === undefined ? result.error : expect.objectContaining({ code: check.code }),
    ]);
  });

  it(`is ${given.status ?? 'no response'} for a request of the service`, async () => {
    const request = { method: 'GET', url: target.url(), headers: {}, body: null, egress: openEgress, timeoutMs: 5000 };
    const read = await new OutboundHttp(dialer).request(request).catch((error: unknown) => error);
    if (given.status === undefined) expect(read).toBeInstanceOf(OutboundError);
    else expect(read).toMatchObject({ status: given.status });
  });

  it('is well formed for checks of the types TCP and SSH', async () => {
    const outcomes = await Promise.all([
      runCheck(new TcpChecker(dialer), target.tcp.authority),
      runCheck(new SshChecker(dialer), target.tcp.authority, { timeoutMs: 300 }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['up', 'down']);
  });
});
