import type { Checker, CheckRequest, CheckResult, ErrorCode } from '../../checker/checker';
import { down, resultOf } from '../../checker/check-failure';
import { Clock } from '../../platform/time/clock';
import { ServerClock } from '../server/server-clock';
import { ByServerTime } from './by-server-time';

const failing = (code: ErrorCode): Checker => ({
  assertionSources: [],
  targetForm: '',
  parseTarget: () => null,
  check: () => Promise.resolve(resultOf(down(code, 'tls', 'The certificate has ended.'))),
});

/** Returns the result from a probe whose wall clock is this far ahead. */
function found(code: ErrorCode, wallAheadMs: number): Promise<CheckResult> {
  const clock = new Clock();
  const server = new ServerClock(clock);
  const now = clock.monotonic();
  server.synchronize(clock.now().getTime() - wallAheadMs, now, now);
  return new ByServerTime(failing(code), server).check({} as CheckRequest<unknown>, new AbortController().signal);
}

describe('an expired certificate', () => {
  it.each<[ErrorCode, number, CheckResult['outcome']]>([
    ['tls_expired', 0, 'down'],
    ['tls_expired', 59_000, 'down'],
    ['tls_expired', 61_000, 'unknown'],
    ['tls_not_yet_valid', -400 * 86_400_000, 'unknown'],
    ['tls_hostname_mismatch', 400 * 86_400_000, 'down'],
    ['tls_untrusted', 400 * 86_400_000, 'down'],
  ])('%s found by a clock that is %i ms ahead is %s', async (code, aheadMs, outcome) => {
    expect(await found(code, aheadMs)).toMatchObject({ outcome, error: { code } });
  });

  it('is reported as doubtful, with the difference of the clocks', async () => {
    const { error } = await found('tls_expired', 300_000);
    expect(error?.message).toBe(
      'The clock of the probe is 300 s off, so the probe cannot determine whether the certificate is valid.',
    );
  });
});
