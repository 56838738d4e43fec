import { DialError } from '../../../src/platform/net/dial/dial-error';
import type { Dialer } from '../../../src/platform/net/dial/dialer';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import { closedPort } from '../../../packages/testing/servers/tcp-target';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(8));
const of = (organization: string | null | undefined) => ({ ...openEgress, organization: organization ?? null });

/** The system's lookup, which the test finishes on demand. Only the machine's own name service is that slow. */
function slowSystem(isFast: (name: string) => boolean = () => false) {
  const asked: string[] = [];
  const running = new Map<string, () => void>();
  const systemLookup = (name: string): Promise<string[]> => {
    asked.push(name);
    if (isFast(name)) return Promise.resolve(['127.0.0.1']);
    return new Promise((resolve) => running.set(name, () => resolve(['127.0.0.1'])));
  };
  const end = (name: string) => running.get(name)?.();
  return { asked, end, dialer: dialerWith({ systemLookup, hostsFile: '/nonexistent' }) };
}

const resolve = (dialer: Dialer, name: string, organization: string | null | undefined, signal?: AbortSignal) =>
  dialer.resolve(name, of(organization), signal ?? new AbortController().signal).then(
    ({ addresses }) => addresses[0],
    (error: unknown) => (error instanceof DialError ? `${error.code}${error.local ? ' (ours)' : ''}` : 'a bug'),
  );

describe("Lookups through the system's own resolver", () => {
  it('start at once while thousands of unanswered lookups of another organization wait', async () => {
    const { dialer } = slowSystem((name) => name.startsWith('mine'));
    for (let count = 0; count < 3000; count++) void resolve(dialer, `n${count}.internal`, B);
    expect(await Promise.all([resolve(dialer, 'mine-1', A), resolve(dialer, 'mine-2', A)])).toEqual([
      '127.0.0.1',
      '127.0.0.1',
    ]);
  });

  it('start at once also for the operator', async () => {
    const { dialer } = slowSystem((name) => name === 'mail');
    for (let count = 0; count < 10; count++) void resolve(dialer, `n${count}.lan`, B);
    expect(await resolve(dialer, 'mail', null)).toBe('127.0.0.1');
  });

  it('do not join the place of another organization that waits for the same name', async () => {
    const { dialer, asked } = slowSystem((name) => name === 'redis');
    for (let count = 0; count < 10; count++) void resolve(dialer, `n${count}.lan`, B);
    void resolve(dialer, 'redis', B);
    expect(await resolve(dialer, 'redis', A)).toBe('127.0.0.1');
    expect(asked.filter((name) => name === 'redis')).toHaveLength(1);
  });

  it('are shared by the callers of one organization', async () => {
    const { dialer, asked, end } = slowSystem();
    const both = Promise.all([resolve(dialer, 'redis', A), resolve(dialer, 'redis', A)]);
    await eventually('the lookup to begin', () => asked.length > 0);
    end('redis');
    expect(await both).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(asked).toEqual(['redis']);
  });

  it('leave the queue once no caller waits for them, but not before', async () => {
    const { dialer, asked, end } = slowSystem();
    const gone = new AbortController();
    const first = resolve(dialer, 'first', A);
    const abandoned = resolve(dialer, 'abandoned', A, gone.signal);
    const half = resolve(dialer, 'half', A, gone.signal);
    const wanted = resolve(dialer, 'half', A);
    await eventually('the first lookup to begin', () => asked.length > 0);
    gone.abort();
    expect(await Promise.all([abandoned, half])).toEqual(['internal (ours)', 'internal (ours)']);
    end('first');
    await first;
    await eventually('the next lookup to begin', () => asked.length > 1);
    end('half');
    expect(await wanted).toBe('127.0.0.1');
    expect(asked).toEqual(['first', 'half']);
  });

  it('are sent again if they were given up while they waited', async () => {
    const { dialer, asked, end } = slowSystem((name) => name === 'again');
    const gone = new AbortController();
    const first = resolve(dialer, 'first', A);
    const abandoned = resolve(dialer, 'again', A, gone.signal);
    gone.abort();
    await abandoned;
    const again = resolve(dialer, 'again', A);
    await eventually('the first lookup to begin', () => asked.length > 0);
    end('first');
    expect([await first, await again]).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('are refused at once for an organization that has a thousand waiting, but not for others', async () => {
    const { dialer } = slowSystem((name) => name === 'mine');
    for (let count = 0; count <= 1001; count++) void resolve(dialer, `n${count}.internal`, B);
    expect(await resolve(dialer, 'one-more', B)).toBe('internal (ours)');
    expect(await resolve(dialer, 'mine', C)).toBe('127.0.0.1');
  });

  it('leave a check unknown, never down, if they never got a turn', async () => {
    const { dialer } = slowSystem();
    const checker = new TcpChecker(dialer);
    void resolve(dialer, 'slow.lan', A);
    void resolve(dialer, 'slower.lan', A);
    const result = await runCheck(checker, `redis:${await closedPort()}`, { egress: of(A), timeoutMs: 100 });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'internal', phase: 'dns' } });
    expect(result.error?.message).toContain('too many lookups');
  });

  it('leave a check unknown also if they had a short turn after a long wait', async () => {
    const { dialer, end } = slowSystem();
    const check = runCheck(new TcpChecker(dialer), 'redis:1', { egress: of(A), timeoutMs: 400 });
    const other = runCheck(new TcpChecker(dialer), 'other:1', { egress: of(A), timeoutMs: 400 });
    setTimeout(() => end('redis'), 300);
    await check;
    expect(await other).toMatchObject({ outcome: 'unknown', error: { code: 'internal', phase: 'dns' } });
  });
});
