import { resultOf, down, unknown, up } from './check-failure';
import { checkerFor, combined } from './both-families';
import type { Checker, CheckRequest, CheckResult } from './checker';

const failed = resultOf(down('connection_refused', 'connect', 'The connection was refused.'));
const lost = resultOf(unknown('internal', 'internal', 'The monitor failed.'));

describe('a check over both IP versions', () => {
  it.each<[string, CheckResult, CheckResult, string, string | null]>([
    ['both up', up(1), up(2), 'up', null],
    ['IPv6 down', up(1), failed, 'up', 'Over IPv6: The connection was refused.'],
    ['IPv4 down', failed, up(1), 'up', 'Over IPv4: The connection was refused.'],
    ['both down', failed, failed, 'down', null],
    ['IPv4 unknown', lost, up(1), 'unknown', null],
    ['one unknown and one down', lost, failed, 'down', null],
  ])('%s', (_, four, six, outcome, warning) => {
    const result = combined(four, six);
    expect([result.outcome, result.warning?.message ?? null]).toEqual([outcome, warning]);
  });

  it('lasts as long as the slower one', () => expect(combined(up(5), up(3)).durationMs).toBe(5));

  it('runs the checker once for each version, and any other setting runs it as it is', async () => {
    const seen: object[] = [];
    const checker: Checker = {
      assertionSources: [],
      targetForm: '',
      parseTarget: (url) => url,
      check: ({ settings }: CheckRequest<unknown>) => {
        seen.push(settings);
        return Promise.resolve(up(1));
      },
    };
    const request = { settings: { ip: 'both', send: 'x' } } as unknown as CheckRequest<unknown>;
    await checkerFor(checker, request.settings).check(request, new AbortController().signal);
    expect(seen).toEqual([
      { ip: '4', send: 'x' },
      { ip: '6', send: 'x' },
    ]);
    expect(checkerFor(checker, { ip: '4' })).toBe(checker);
  });
});
