import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { Problem } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { IdentityMetrics } from '../identity.metrics';
import { hashPassword } from './password-hash';
import { Passwords } from './passwords.service';

const CHEAP = { ln: 4, r: 8, p: 1 };
const PASSWORD = 'three wise monkeys';

describe('password hashing', () => {
  const metrics = new Metrics();
  const passwords = new Passwords(new Config(), new Clock(), new IdentityMetrics(metrics));
  passwords.cost = CHEAP;
  const waiting = async () => /^uptime_password_hashes_waiting (\d+)$/m.exec(await metrics.expose())?.[1];
  const outcome = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'judged',
      (error: unknown) => (error instanceof Problem ? error.code : String(error)),
    );

  it('runs two at once and queues twenty: of 64 that come together 22 are judged, and the others are refused immediately', async () => {
    const stored = await hashPassword(PASSWORD, CHEAP);
    const outcomes = Array.from({ length: 64 }, (_, n) =>
      outcome(n % 2 === 0 ? passwords.compare(PASSWORD, stored) : passwords.compare(PASSWORD, null)),
    );
    expect(await waiting()).toBe('20');
    const judged = (await Promise.all(outcomes)).map((one) => (one === 'rate_limited' ? 0 : 1));
    expect(judged).toEqual([...Array<number>(22).fill(1), ...Array<number>(42).fill(0)]);
    expect(await waiting()).toBe('0');
    expect(await outcome(passwords.hash(PASSWORD))).toBe('judged');
  });

  it('treats all Unicode compositions of a password as equal, and never trims it', async () => {
    const stored = await passwords.hash('caf\u00e9 con le\u0301che');
    expect(await passwords.compare('cafe\u0301 con l\u00e9che', stored)).toMatchObject({ isRight: true });
    expect(await passwords.compare(' caf\u00e9 con l\u00e9che', stored)).toMatchObject({ isRight: false });
  });
});
