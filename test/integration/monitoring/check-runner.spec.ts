import { down, resultOf } from '../../../src/checker/check-failure';
import type { Assertion } from '../../../src/checker/assertion/assertion';
import type { Checker, CheckResult } from '../../../src/checker/checker';
import { CheckRunner } from '../../../src/engine/run/check-runner';
import { OPERATORS_EGRESS } from '../../../src/platform/net/egress/egress-policy';
import { EventLoopLag } from '../../../src/platform/observability/event-loop-lag';
import { startApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../../packages/testing/eventually';

/** The loop is checked 20 times a second. A longer pause than this isn't a stall of a busy machine. */
const AT_REST_MS = 1500;

const DOWN = resultOf(down('connection_timeout', 'connect', 'The connection was not established within 1 s.'));
const SLOW: CheckResult = {
  ...DOWN,
  outcome: 'up',
  error: null,
  warning: { code: 'assertion_failed', phase: 'assertion', message: 'Expected it to be fast, but it was slow.' },
};

/** Returns this result after it has blocked the event loop, as any other work of the process may. */
class StallingChecker implements Checker {
  readonly assertionSources = [];
  readonly targetForm = 'tcp://host:port';
  attempts = 0;

  constructor(
    private readonly stallMs: number,
    private readonly result: CheckResult = DOWN,
  ) {}

  parseTarget(url: string): string {
    return url;
  }

  async check(): Promise<CheckResult> {
    this.attempts++;
    await new Promise(setImmediate);
    const end = performance.now() + this.stallMs;
    while (performance.now() < end);
    return this.result;
  }
}

describe('CheckRunner in a process that was stalled', () => {
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

  const run = (checker: Checker, assertions: Assertion[] = []) =>
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
          settings: {},
          method: 'GET',
          headers: [],
          body: null,
          followRedirects: false,
          tls: null,
          assertions,
          egress: OPERATORS_EGRESS,
        },
      },
      null,
      new Date(),
      new AbortController().signal,
    );

  it("does not report a failure during a stall of the process as the target's failure", async () => {
    const checker = new StallingChecker(600);
    const check = await run(checker);
    expect(check?.result).toMatchObject({ outcome: 'unknown', error: { code: 'internal' } });
    expect(checker.attempts).toBe(2);
  });

  it('reports a failure without a stall as the target’s', async () => {
    const checker = new StallingChecker(0);
    const check = await run(checker);
    expect(check?.result).toMatchObject({ outcome: 'down', error: { code: 'connection_timeout' } });
    expect(checker.attempts).toBe(1);
  });

  const fast: Assertion = { source: 'response_time', comparison: 'less_than', target: '100', severity: 'warning' };
  const valid: Assertion = {
    source: 'certificate_days',
    comparison: 'greater_than',
    target: '14',
    severity: 'warning',
  };

  it('ignores a warning about time during a stall of the process', async () => {
    const checker = new StallingChecker(600, SLOW);
    const check = await run(checker, [fast]);
    expect(check?.result).toMatchObject({ outcome: 'unknown', error: { code: 'internal' }, warning: null });
    expect(checker.attempts).toBe(2);
  });

  it('keeps a warning that no stall explains', async () => {
    const checker = new StallingChecker(600, SLOW);
    const check = await run(checker, [valid, { ...fast, severity: 'critical' }]);
    expect(check?.result).toMatchObject({ outcome: 'up', error: null, warning: SLOW.warning });
    const other = await run(new StallingChecker(0, SLOW), [fast]);
    expect([checker.attempts, other?.result]).toEqual([1, SLOW]);
  });
});
