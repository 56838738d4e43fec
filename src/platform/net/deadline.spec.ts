import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DeadlineExceeded, startDeadline } from './deadline';

const blockFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** Settles with the reason when the signal aborts. */
const reasonOf = async (signal: AbortSignal): Promise<unknown> => {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason;
};

describe('A deadline', () => {
  it('ends its signal after the time-out, and says how long that was', async () => {
    const { signal, clear } = startDeadline(20);
    const reason = await reasonOf(signal);
    expect(reason).toBeInstanceOf(DeadlineExceeded);
    expect(reason).toMatchObject({ timeoutMs: 20 });
    clear();
  });

  it('lets an answer that arrived during a stall be read before it calls it late', async () => {
    const server = createServer();
    const answered = new Promise<void>((resolve) => {
      server.once('connection', (peer) => peer.end('answer', () => resolve()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    await answered;
    const { signal, clear } = startDeadline(30);
    const read = once(socket, 'data').then(() => ({ afterAbort: signal.aborted }));
    socket.resume();
    blockFor(80);
    expect(await read).toEqual({ afterAbort: false });
    clear();
    socket.destroy();
    server.close();
  });

  it('ends early with its parent, for the reason of the parent', async () => {
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

  it('has no hold on a signal any more once it is cleared', async () => {
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

  it('that is cleared in the turn of its verdict spares whoever has the signal next', async () => {
    const old = startDeadline(1);
    blockFor(5);
    // Timers of this turn have run by now, the verdict has not been spoken.
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
    old.clear();
    const next = startDeadline(60_000);
    await nextTurn();
    await nextTurn();
    expect(next.signal.aborted).toBe(false);
    next.clear();
  });

  it('gives a signal to another check only when nobody listens to it any more', () => {
    const kept = startDeadline(60_000);
    const listener = () => {};
    kept.signal.addEventListener('abort', listener);
    kept.clear();
    const others = Array.from({ length: 5 }, () => startDeadline(60_000));
    expect(others.map(({ signal }) => signal)).not.toContain(kept.signal);
    expect(new Set(others.map(({ signal }) => signal)).size).toBe(5);
    for (const { clear } of others) clear();
  });

  it('never gives out a signal that has ended', async () => {
    const ended = startDeadline(1);
    await reasonOf(ended.signal);
    ended.clear();
    const next = startDeadline(60_000);
    expect(next.signal.aborted).toBe(false);
    next.clear();
  });
});
