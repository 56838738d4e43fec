import { down, resultOf } from '../../../src/checker/check-failure';
import type { Checker, CheckResult } from '../../../src/checker/checker';
import { CheckRunner } from '../../../src/monitoring/run/check-runner';
import { OPERATORS_EGRESS } from '../../../src/platform/net/egress/egress-policy';
import { EventLoopLag } from '../../../src/platform/observability/event-loop-lag';
import { startApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../harness/app/poll';

/** Longer without a look than any stall of a busy machine while the loop is looked at 20 times a second. */
const AT_REST_MS = 1500;

/** Finds its target down after it has held the event loop itself, as any other work of the process may. */
class StallingChecker implements Checker {
  readonly assertionSources = [];
  readonly targetForm = 'tcp://host:port';
  attempts = 0;

  constructor(private readonly stallMs: number) {}

  parseTarget(url: string): string {
    return url;
  }

  async check(): Promise<CheckResult> {
    this.attempts++;
    await new Promise(setImmediate);
    const end = performance.now() + this.stallMs;
    while (performance.now() < end);
    return resultOf(down('connection_timeout', 'connect', 'The connection was not established within 1 s.'));
  }
}

describe('CheckRunner in a process that was at rest', () => {
  let app: TestApp;
  let lastLook: number;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    app.app.get(EventLoopLag).onBeat(({ to }) => (lastLook = to));
  });
  beforeEach(async () => {
    lastLook = performance.now();
    await eventually('the event loop is looked at rarely', () => performance.now() - lastLook > AT_REST_MS);
  });
  afterAll(() => app.close());

  const run = (checker: Checker) =>
    app.app.get(CheckRunner).run(
      {
        endpointId: '00000000-0000-0000-0000-000000000001',
        endpointKey: '1',
        orgId: '00000000-0000-0000-0000-000000000002',
        revision: 1,
        timeoutMs: 5000,
        checker,
        request: {
          target: 'tcp://192.0.2.1:80',
          method: 'GET',
          headers: [],
          body: null,
          followRedirects: false,
          assertions: [],
          egress: OPERATORS_EGRESS,
        },
      },
      null,
      new Date(),
      new AbortController().signal,
    );

  it('takes a failure during a stall of its own for no failure of the target', async () => {
    const checker = new StallingChecker(600);
    const check = await run(checker);
    expect(check?.result).toMatchObject({ outcome: 'unknown', error: { code: 'internal' } });
    expect(checker.attempts).toBe(2);
  });

  it('takes a failure without a stall for the target’s', async () => {
    const checker = new StallingChecker(0);
    const check = await run(checker);
    expect(check?.result).toMatchObject({ outcome: 'down', error: { code: 'connection_timeout' } });
    expect(checker.attempts).toBe(1);
  });
});
