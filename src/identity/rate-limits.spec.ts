import type { Request } from 'express';
import { Config } from '../platform/config/config';
import { EventLoopLag } from '../platform/observability/event-loop-lag';
import { LoadShedder } from '../platform/http/load/load-shedder';
import { Metrics } from '../platform/observability/metrics';
import { Problem } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { type LookUp, RateLimits } from './rate-limits';

const from = (ip: string) =>
  ({ ip, socket: { remoteAddress: ip }, headers: {}, app: { get: () => () => false } }) as unknown as Request;
const addressOf = (n: number): string => `198.51.${n >> 8}.${n & 255}`;

describe('limits on guesses', () => {
  let now: number;
  let limits: RateLimits;
  beforeEach(() => {
    now = 0;
    const config = new Config();
    const clock = Object.assign(new Clock(), { monotonic: () => now });
    limits = new RateLimits(config, clock, new LoadShedder(config, new Metrics(), new EventLoopLag(clock)));
  });

  /** Makes one sign-in attempt. Returns `right`, `wrong`, or the seconds to wait. */
  const sign = async (ip: string, email: string, isKnown = false, isRight = false): Promise<string | number> => {
    try {
      await limits.guess(from(ip), email, isKnown, () => Promise.resolve({ isRight }));
      return isRight ? 'right' : 'wrong';
    } catch (error) {
      return Number((error as Problem).headers['Retry-After']);
    }
  };
  const signs = async (times: number, ...of: Parameters<typeof sign>): Promise<(string | number)[]> => {
    const all = [];
    for (let n = 0; n < times; n++) all.push(await sign(...of));
    return all;
  };
  const wrong = (times: number): string[] => Array<string>(times).fill('wrong');

  it('allow ten wrong passwords for an email from one address, then one in 30 seconds', async () => {
    expect(await signs(11, '192.0.2.1', 'ada@example.com', true)).toEqual([...wrong(10), 30]);
    now += 29_000;
    expect(await sign('192.0.2.1', 'ada@example.com', true, true)).toBe(1);
    now += 1_000;
    expect(await signs(2, '192.0.2.1', 'ada@example.com', true)).toEqual(['wrong', 30]);
  });

  it.each([
    ['for another email', '192.0.2.1', 'bo@example.com'],
    ['from another address', '192.0.2.2', 'ada@example.com'],
  ])('do not affect a user who signs in %s', async (_, ip, email) => {
    await signs(11, '192.0.2.1', 'ada@example.com', true);
    expect(await sign(ip, email, true, true)).toBe('right');
  });

  it('count an IPv6 network as one address', async () => {
    await signs(10, '2001:db8:1:2::1', 'ada@example.com', true);
    expect(await sign('2001:db8:1:2::2', 'ada@example.com', true)).toBe(30);
    expect(await sign('2001:db8:1:3::1', 'ada@example.com', true)).toBe('wrong');
  });

  it('allow 100 guesses for an email from unknown addresses, then one per minute, and exempt known addresses', async () => {
    const guesses = [];
    for (let n = 0; n < 101; n++) guesses.push(await sign(addressOf(n), 'ada@example.com'));
    expect(guesses).toEqual([...wrong(100), 60]);
    expect(await sign('192.0.2.1', 'ada@example.com', true, true)).toBe('right');
    now += 60_000;
    expect([await sign(addressOf(200), 'ada@example.com'), await sign(addressOf(201), 'ada@example.com')]).toEqual([
      'wrong',
      60,
    ]);
  });

  it('do not count right passwords, however often they are sent', async () => {
    expect(await signs(150, '192.0.2.1', 'ada@example.com', false, true)).toEqual(Array(150).fill('right'));
  });

  it('also apply to many guesses that are sent at once', async () => {
    let compared = 0;
    const compare = () => {
      compared++;
      return Promise.resolve({ isRight: false });
    };
    const all = Array.from({ length: 64 }, () => limits.guess(from('192.0.2.1'), 'ada@example.com', true, compare));
    const statuses = (await Promise.allSettled(all)).map(({ status }) => status);
    expect([compared, statuses.filter((status) => status === 'rejected').length]).toEqual([10, 54]);
  });

  it('do not count guesses that were not judged because too many waited', async () => {
    const full = () =>
      limits.guess(from('192.0.2.1'), 'ada@example.com', false, () => Promise.reject(new Error('full')));
    for (let n = 0; n < 20; n++) await expect(full()).rejects.toThrow('full');
    expect(await signs(11, '192.0.2.1', 'ada@example.com')).toEqual([...wrong(10), 30]);
  });

  it('allow 200 guesses from an IPv6 site, from any number of its networks', () => {
    const wrongOnes = Array.from(
      { length: 300 },
      (_, n) => limits.refusal(from(`2001:db8:1:${n.toString(16)}::1`)).code,
    );
    expect(wrongOnes.filter((code) => code === 'unauthenticated')).toHaveLength(200);
    expect(limits.refusal(from('2001:db8:2::1')).code).toBe('unauthenticated');
  });

  it.each(['ping', 'password', 'other'] as const)(
    'do not affect key lookups while a flood uses up the lookups of %s',
    (of) => {
      const isAdmitted = (kind: LookUp, n: number): boolean => {
        try {
          limits.admitLookUp(from(addressOf(n)), kind);
          return true;
        } catch {
          return false;
        }
      };
      const admitted = Array.from({ length: 1000 }, (_, n) => isAdmitted(of, n)).filter(Boolean).length;
      expect(admitted).toBeLessThan(300);
      expect([isAdmitted('checked', 1), isAdmitted('familiar', 1)]).toEqual([true, true]);
    },
  );

  it('allow 20 wrong credentials of all kinds from one address, then one in three seconds', () => {
    const codes = (times: number) => Array.from({ length: times }, () => limits.refusal(from('192.0.2.1')).code);
    expect(codes(21)).toEqual([...Array<string>(20).fill('unauthenticated'), 'rate_limited']);
    now += 3_000;
    expect(codes(2)).toEqual(['unauthenticated', 'rate_limited']);
    expect(limits.refusal(from('192.0.2.2')).code).toBe('unauthenticated');
  });
});
