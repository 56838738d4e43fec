import type { Assertion } from '../../../src/checker/assertion/assertion';
import {
  type Checker,
  type CheckPhase,
  type CheckResult,
  type CheckRequest,
  ERROR_CODES,
  type ErrorCode,
  InvalidTarget,
} from '../../../src/checker/checker';
import '../../../src/platform/openapi/written-properties';
import { startDeadline } from '../../../src/platform/net/deadline';
import { markedKeys } from '../../../src/channel/config/config-metadata';
import { knownKeys } from '../../../src/channel/config/config-validation';
import { NO_SETTINGS, settingsProblems } from '../../../src/checker/settings-problems';
import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { closedEgress, openEgress } from './network';
import { eventually } from '../eventually';

/** A real target on this machine. The counts are missing for connectionless protocols. */
export interface LiveTarget {
  url: string;
  /** Returns how many connections or requests have arrived so far. */
  arrived?: () => number;
  /** Resolves when all connections are closed. Rejects if one isn't closed. */
  untilLeft?: () => Promise<void>;
}

export interface CheckerBench {
  checker: Checker;
  up: LiveTarget;
  /** A target that refuses connections. */
  refused?: LiveTarget & { code: ErrorCode; phase: CheckPhase };
  /** A target that accepts data and never responds. The expected timeout error has this `code` and `phase`. */
  silent?: LiveTarget & { code: ErrorCode; phase: CheckPhase };
  /**
   * Targets with the worst responses for this protocol. The check must settle, with the given `outcome` if there is
   * one.
   */
  hostile?: (LiveTarget & { name: string; outcome?: CheckResult['outcome'] })[];
  close(): Promise<void>;
}

interface Spellings {
  type: string;
  /** Valid target URLs, and the targets they represent. */
  accepted: readonly (readonly [url: string, target: unknown])[];
  /** Invalid URLs. */
  rejected: readonly string[];
}

/** The suite for a checker that runs checks. */
export interface CheckerSuite extends Spellings {
  /** The settings of all checks of the suite. Use `CANARY` in a secret: no result may contain it. */
  settings?: object;
  open(): Promise<CheckerBench>;
}

/** The suite for a checker with `passive`, which is never run. Its results are sent to the monitor. */
export interface PassiveCheckerSuite extends Spellings {
  passive: Checker;
}

/** A secret that no result of a check may contain. */
export const CANARY = 'canary-5d1c6bb0f2';
const TIMEOUT_MS = 400;
/** Ten times longer than a check takes on a busy machine. Fails a check that never settles. */
const PATIENCE_MS = TIMEOUT_MS * 10;

/** Runs a check with the default request and the deadline that the scheduler would set. */
export async function runCheck(
  checker: Checker,
  url: string,
  options: Partial<CheckRequest<unknown>> & { timeoutMs?: number; shutdown?: AbortSignal } = {},
): Promise<CheckResult> {
  const { timeoutMs = 10_000, shutdown, ...given } = options;
  const deadline = startDeadline(timeoutMs, shutdown);
  try {
    const result = await checker.check({ ...requestFor(checker.parseTarget(url)), ...given }, deadline.signal);
    expectWellFormed(result);
    return result;
  } finally {
    deadline.clear();
  }
}

const requestFor = (target: unknown): CheckRequest<unknown> => ({
  target,
  settings: NO_SETTINGS,
  method: 'GET',
  headers: [{ key: 'Authorization', value: `Bearer ${CANARY}` }],
  body: null,
  followRedirects: true,
  tls: null,
  assertions: [],
  egress: openEgress,
});

/** Asserts what must be true for every result from any checker. */
export function expectWellFormed(result: CheckResult): void {
  const { outcome, error, warning, phases, durationMs, redirects } = result;
  expect(error === null).toBe(outcome === 'up');
  if (warning !== null) expect(outcome).toBe('up');
  for (const said of [error, warning].filter((one) => one !== null)) {
    expect(ERROR_CODES).toContain(said.code);
    expect(said.message.length).toBeLessThanOrEqual(300);
    expect(said.message).toMatch(/^[^\p{Cc}]*[.…]$/u);
  }
  const measured = Object.values(phases).filter((ms) => ms !== null);
  for (const ms of measured) expect(ms).toBeGreaterThanOrEqual(0);
  expect(durationMs).toBeCloseTo(
    measured.reduce((sum, ms) => sum + ms, 0),
    3,
  );
  expect(redirects.length).toBeLessThanOrEqual(5);
  expect(JSON.stringify(result)).not.toContain(CANARY);
}

/** Declares the suite that every checker must pass. */
export function describeChecker(suite: CheckerSuite | PassiveCheckerSuite): void {
  if ('passive' in suite) describePassive(suite);
  else describeActive(suite);
}

function describePassive({ passive: checker, ...suite }: PassiveCheckerSuite): void {
  describe(`checker ${suite.type}`, () => {
    describeTargets(suite, () => checker);

    it('is passive: nothing runs it, and it has no assertions', () => {
      expect(checker).toMatchObject({ passive: true, assertionSources: [] });
    });
  });
}

/** Uses loops, because a passive type may have no invalid URLs, and `it.each` rejects an empty list. */
function describeTargets({ accepted, rejected }: Spellings, checker: () => Checker): void {
  for (const [url, target] of accepted)
    it(`reads the target ${JSON.stringify(url)}`, () => {
      expect([checker().parseTarget(url)]).toMatchObject([target]);
    });

  for (const url of rejected)
    it(`refuses the target ${JSON.stringify(url)} and shows the accepted form`, () => {
      const parse = () => checker().parseTarget(url);
      expect(parse).toThrow(InvalidTarget);
      expect(parse).toThrow(checker().targetForm);
    });
}

/** Tests the rules for settings classes that the API, documents, and forms rely on. */
function describeSettings({ settings = NO_SETTINGS, accepted }: CheckerSuite, checker: () => Checker): void {
  const url = accepted[0]?.[0] ?? '';

  it('accepts the settings of the suite, and refuses unknown ones', () => {
    expect(settingsProblems(checker(), settings, url)).toEqual([]);
    const found = settingsProblems(checker(), { ...settings, no_such_setting: 1 }, url);
    expect(found).toMatchObject([{ pointer: '/no_such_setting', code: 'unknown_field' }]);
  });

  it('documents each setting, and hides the same values from every role', () => {
    const { settingsClass } = checker();
    if (!settingsClass) return;
    const shown = Reflect.getMetadata('swagger/apiModelPropertiesArray', settingsClass.prototype) as string[];
    expect(shown.map((name) => name.slice(1)).sort()).toEqual(knownKeys(settingsClass).sort());
    expect(markedKeys(settingsClass, 'confidential')).toEqual([]);
  });
}

function describeActive(suite: CheckerSuite): void {
  describe(`checker ${suite.type}`, () => {
    let bench: CheckerBench;

    const check = (target: LiveTarget, options: Parameters<typeof runCheck>[2] = {}) =>
      runCheck(bench.checker, target.url, { ...(suite.settings && { settings: suite.settings }), ...options });

    beforeAll(async () => {
      bench = await suite.open();
    });
    afterAll(() => bench?.close());

    describeTargets(suite, () => bench.checker);
    describeSettings(suite, () => bench.checker);

    it('reports a live target as up and leaves nothing open', async () => {
      const result = await check(bench.up);
      expect(result).toMatchObject({ outcome: 'up', error: null });
      await bench.up.untilLeft?.();
    });

    it('measures the duration of a check of a live target', async () => {
      expect((await check(bench.up)).durationMs).toBeGreaterThan(0);
    });

    it('reports a target as down if an assertion does not hold, with the expected value', async () => {
      const impossible: Assertion = { source: 'response_time', comparison: 'less_than', target: '0' };
      const result = await check(bench.up, { assertions: [impossible] });
      expect(result).toMatchObject({ outcome: 'down', error: { code: 'assertion_failed', phase: 'assertion' } });
      expect(result.error?.message).toContain('response_time');
    });

    const never: Assertion = { source: 'response_time', comparison: 'less_than', target: '0' };
    const always: Assertion = { source: 'response_time', comparison: 'greater_than', target: '-1' };
    const warning = (one: Assertion): Assertion => ({ ...one, severity: 'warning' });

    it('reports a target as up with a warning when only a warning does not hold', async () => {
      const result = await check(bench.up, { assertions: [warning(never), always] });
      expect(result).toMatchObject({ outcome: 'up', error: null });
      expect(result.warning).toMatchObject({ code: 'assertion_failed', phase: 'assertion' });
      expect(result.warning?.message).toMatch(/^Expected response_time to be less than 0, but it was [\d.]+ ms\.$/);
    });

    it('reports a target as up without a warning when assertions of both severities hold', async () => {
      const result = await check(bench.up, { assertions: [always, warning(always)] });
      expect(result).toMatchObject({ outcome: 'up', error: null, warning: null });
    });

    it('reports a target as down without a warning when assertions of both severities do not hold', async () => {
      const result = await check(bench.up, { assertions: [warning(never), never] });
      expect(result).toMatchObject({ outcome: 'down', error: { code: 'assertion_failed' }, warning: null });
    });

    it('names the error of a target that refuses, even with warning assertions', async () => {
      const { refused } = bench;
      if (!refused) return;
      const result = await check(refused, { assertions: [warning(never)] });
      expect(result).toMatchObject({ outcome: 'down', error: { code: refused.code }, warning: null });
    });

    it('names the error of a target that refuses', async () => {
      const { refused } = bench;
      if (!refused) return;
      const result = await check(refused);
      expect(result).toMatchObject({ outcome: 'down', error: { code: refused.code, phase: refused.phase } });
    });

    it('ends the check of an unresponsive target at its timeout, names the phase, and closes the connection', async () => {
      const { silent } = bench;
      if (!silent) return;
      const startedAt = performance.now();
      const result = await check(silent, { timeoutMs: TIMEOUT_MS });
      const elapsed = performance.now() - startedAt;
      expect(result).toMatchObject({ outcome: 'down', error: { code: silent.code, phase: silent.phase } });
      expect(elapsed).toBeGreaterThanOrEqual(TIMEOUT_MS - 2);
      expect(elapsed).toBeLessThan(PATIENCE_MS);
      await silent.untilLeft?.();
    });

    it('does not report the target as down when the monitor shuts down', async () => {
      const target = bench.silent ?? bench.up;
      const shutdown = new AbortController();
      const before = target.arrived?.() ?? 0;
      const running = check(target, { shutdown: shutdown.signal });
      if (target.arrived) await eventually('the check to arrive', () => (target.arrived?.() ?? 0) > before);
      shutdown.abort(new Error('shutting down'));
      expect((await running).outcome).not.toBe('down');
      await target.untilLeft?.();
    });

    it('sends nothing if the check was stopped before it started', async () => {
      const before = bench.up.arrived?.();
      const result = await check(bench.up, { shutdown: AbortSignal.abort(new Error('shutting down')) });
      expect(result.outcome).toBe('unknown');
      await bench.up.untilLeft?.();
      expect(bench.up.arrived?.()).toBe(before);
    });

    it.each<[string, EgressRule]>([['every address', closedEgress]])(
      'does not connect to addresses that the egress policy refuses: %s',
      async (_what, egress) => {
        const before = bench.up.arrived?.();
        const result = await check(bench.up, { egress });
        expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
        expect(bench.up.arrived?.()).toBe(before);
      },
    );

    it('ends every check of a hostile target, with the expected outcome', async () => {
      for (const target of bench.hostile ?? []) {
        // If the target must be up, the default timeout is used, because this machine may be busy.
        const result = await check(target, target.outcome === 'up' ? {} : { timeoutMs: TIMEOUT_MS });
        expect({ name: target.name, outcome: result.outcome }).toEqual({
          name: target.name,
          outcome: target.outcome ?? result.outcome,
        });
        await target.untilLeft?.();
      }
    });

    it('runs twenty checks at once without mixing up their results', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => check(bench.up)));
      expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => 'up'));
    });
  });
}
