import { attemptInTurn } from './staggered-attempts';

/** Settles with its candidate when told to, or when aborted. */
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

describe('Attempts in turn', () => {
  it('end with the first good one and do not begin the others', async () => {
    const scripted = new Scripted({ a: 'good', b: 'good' });
    expect(await scripted.run(['a', 'b'])).toEqual(['a']);
    expect(scripted.begun).toEqual(['a']);
  });

  it('go on at once after a failure', async () => {
    const scripted = new Scripted({ a: 'bad', b: 'bad', c: 'good' });
    expect(await scripted.run(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });

  it('go on after silence and abort the silent one when another is good', async () => {
    const scripted = new Scripted({ a: 'silent', b: 'good' });
    expect(await scripted.run(['a', 'b'], undefined, 1)).toEqual(['b']);
    expect(scripted.aborted).toContain('a');
  });

  it('answer every failure when none is good', async () => {
    expect(await new Scripted({ a: 'bad', b: 'bad' }).run(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('end when the signal aborts, whatever is silent', async () => {
    const controller = new AbortController();
    const scripted = new Scripted({ a: 'bad', b: 'silent', c: 'good' });
    const attempts = scripted.run(['a', 'b', 'c'], controller.signal);
    await new Promise(setImmediate);
    controller.abort();
    expect(await attempts).toEqual(['a', 'b']);
    expect(scripted.begun).toEqual(['a', 'b']);
  });

  it('end at once without candidates', async () => {
    expect(await new Scripted({}).run([])).toEqual([]);
  });

  it('reject when an attempt is broken', async () => {
    await expect(new Scripted({ a: 'broken' }).run(['a'])).rejects.toThrow('a bug');
  });
});
