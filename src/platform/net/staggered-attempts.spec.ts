import { attemptInTurn, Stagger } from './staggered-attempts';

/** Attempts with scripted behavior for each candidate. Each attempt resolves with its candidate. */
class Scripted {
  readonly begun: string[] = [];
  readonly aborted: string[] = [];

  constructor(private readonly behaviour: Record<string, 'good' | 'bad' | 'silent' | 'broken'>) {}

  run(candidates: string[], signal = new AbortController().signal, nextAfterMs = 60_000): Promise<string[]> {
    return attemptInTurn(
      candidates,
      {
        nextAfterMs,
        attempt: (candidate, until) => this.attempt(candidate, until),
        isGood: (result) => this.behaviour[result] === 'good',
      },
      signal,
    );
  }

  private attempt(candidate: string, signal: AbortSignal): Promise<string> {
    this.begun.push(candidate);
    signal.addEventListener('abort', () => this.aborted.push(candidate));
    const how = this.behaviour[candidate];
    if (how === 'broken') return Promise.reject(new Error('a bug'));
    if (how !== 'silent') return Promise.resolve(candidate);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(candidate)));
  }
}

describe('attemptInTurn', () => {
  it('resolves with the first successful result and does not start the other attempts', async () => {
    const scripted = new Scripted({ a: 'good', b: 'good' });
    expect(await scripted.run(['a', 'b'])).toEqual(['a']);
    expect(scripted.begun).toEqual(['a']);
  });

  it('starts the next attempt as soon as one has failed', async () => {
    const scripted = new Scripted({ a: 'bad', b: 'bad', c: 'good' });
    expect(await scripted.run(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });

  it('starts the next attempt after silence, and aborts the silent one when another succeeds', async () => {
    const scripted = new Scripted({ a: 'silent', b: 'good' });
    expect(await scripted.run(['a', 'b'], undefined, 1)).toEqual(['b']);
    expect(scripted.aborted).toContain('a');
  });

  it('resolves with every failure if no attempt succeeds', async () => {
    expect(await new Scripted({ a: 'bad', b: 'bad' }).run(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('ends when the signal aborts, although an attempt is silent', async () => {
    const controller = new AbortController();
    const scripted = new Scripted({ a: 'bad', b: 'silent', c: 'good' });
    const attempts = scripted.run(['a', 'b', 'c'], controller.signal);
    await new Promise(setImmediate);
    controller.abort();
    expect(await attempts).toEqual(['a', 'b']);
    expect(scripted.begun).toEqual(['a', 'b']);
  });

  it('resolves at once without candidates', async () => {
    expect(await new Scripted({}).run([])).toEqual([]);
  });

  it('rejects when an attempt throws', async () => {
    await expect(new Scripted({ a: 'broken' }).run(['a'])).rejects.toThrow('a bug');
  });

  it('starts no other attempt after one succeeded', async () => {
    const scripted = new Scripted({ a: 'silent', b: 'good', c: 'good' });
    await scripted.run(['a', 'b', 'c'], undefined, 1);
    await new Promise(setImmediate);
    expect(scripted.begun).toEqual(['a', 'b']);
  });
});

describe('Stagger', () => {
  const begun: string[] = [];
  const stagger = (delayMs: number) => new Stagger(['a', 'b', 'c'], delayMs, (candidate) => begun.push(candidate));

  beforeEach(() => {
    begun.length = 0;
  });

  it('starts one candidate with each call, and none after the last', () => {
    const all = stagger(60_000);
    for (let i = 0; i < 4; i++) all.next();
    expect([begun, all.isExhausted]).toEqual([['a', 'b', 'c'], true]);
  });

  it('starts all candidates automatically if the earlier ones stay silent', async () => {
    const all = stagger(1);
    all.next();
    while (!all.isExhausted) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('starts nothing after it was stopped', () => {
    const all = stagger(60_000);
    all.next();
    all.stop();
    all.next();
    expect([begun, all.isExhausted]).toEqual([['a'], true]);
  });
});
