import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DeadlineExceeded, startDeadline, within } from './deadline';

const blockFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** Resolves with the reason once the signal is aborted. */
const reasonOf = async (signal: AbortSignal): Promise<unknown> => {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason;
};

describe('startDeadline', () => {
  it('aborts its signal after the timeout, with the timeout as the reason', async () => {
    const { signal, clear } = startDeadline(20);
    const reason = await reasonOf(signal);
    expect(reason).toBeInstanceOf(DeadlineExceeded);
    expect(reason).toMatchObject({ timeoutMs: 20 });
    clear();
  });

  it('lets a response that arrived during a stall be read before it aborts', async () => {
    const server = createServer();
    const responded = new Promise<void>((resolve) => {
      server.once('connection', (peer) => peer.end('response', () => resolve()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    await responded;
    const { signal, clear } = startDeadline(30);
    const read = once(socket, 'data').then(() => ({ afterAbort: signal.aborted }));
    socket.resume();
    blockFor(80);
    expect(await read).toEqual({ afterAbort: false });
    clear();
    socket.destroy();
    server.close();
  });

  it('aborts early with its parent, for the parent’s reason', async () => {
    const shutdown = new AbortController();
    const first = startDeadline(60_000, shutdown.signal);
    const second = startDeadline(60_000, shutdown.signal);
    const reason = new Error('shutting down');
    shutdown.abort(reason);
    expect([first, second].map(({ signal }) => signal.reason as unknown)).toEqual([reason, reason]);
    const late = startDeadline(60_000, shutdown.signal);
    expect(late.signal.reason).toBe(reason);
    for (const { clear } of [first, second, late]) clear();
  });

  it('does not abort a signal once it is cleared', async () => {
    const shutdown = new AbortController();
    const old = startDeadline(5, shutdown.signal);
    old.clear();
    old.clear();
    const next = startDeadline(60_000);
    shutdown.abort(new Error('shutting down'));
    const later = startDeadline(30);
    await reasonOf(later.signal);
    expect(old.signal.aborted).toBe(false);
    expect(next.signal.aborted).toBe(false);
    next.clear();
    later.clear();
  });

  it('does not abort the next user of a signal when it is cleared in the turn in which it expires', async () => {
    const old = startDeadline(1);
    blockFor(5);
    // The timers in this turn have run, and the abort is due in the next phase of the event loop.
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
    old.clear();
    const next = startDeadline(60_000);
    await nextTurn();
    await nextTurn();
    expect(next.signal.aborted).toBe(false);
    next.clear();
  });

  it('reuses a signal only when it has no listener left', () => {
    const kept = startDeadline(60_000);
    const listener = () => {};
    kept.signal.addEventListener('abort', listener);
    kept.clear();
    const others = Array.from({ length: 5 }, () => startDeadline(60_000));
    expect(others.map(({ signal }) => signal)).not.toContain(kept.signal);
    expect(new Set(others.map(({ signal }) => signal)).size).toBe(5);
    for (const { clear } of others) clear();
  });

  it('never reuses a signal that was aborted', async () => {
    const ended = startDeadline(1);
    await reasonOf(ended.signal);
    ended.clear();
    const next = startDeadline(60_000);
    expect(next.signal.aborted).toBe(false);
    next.clear();
  });
});

describe('within', () => {
  it('resolves with the result of work that ends in time', async () => {
    expect(await within(60_000, Promise.resolve(7))).toBe(7);
  });

  it('resolves with `late` while the work continues', async () => {
    let finish: (result: string) => void = () => {};
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    expect(await within(1, work)).toBe('late');
    finish('done');
    expect(await work).toBe('done');
  });

  it('rejects if the work rejects', async () => {
    await expect(within(60_000, Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  });
});
