import type { Ops } from './api';
import { noResponse, timedOut, type UptimeError, UptimeNoResponse } from './errors';
import { pause, waitAfter } from './transport';

type AnyStreamEvent = Ops['stream']['result'];

/**
 * What happened, or `reset`: more was missed than the service keeps, so the lists must be read again. `ready` and `ping`
 * do not come out of the client.
 */
export type StreamEvent =
  Exclude<AnyStreamEvent, { event: 'ready' | 'reset' | 'ping' }> | { event: 'reset'; id?: undefined; data: object };

/** Options of the stream. */
export interface StreamOptions {
  /** Ends the stream: the iteration is over, without an error. */
  signal?: AbortSignal;
  /** Sent beside those of the client. */
  headers?: Record<string, string>;
  /** A connection over which nothing comes for so many milliseconds is given up; default 35,000. The service pings every 10 s. */
  silenceMs?: number;
  /** Told of each connection once it stands: what happens from then on comes. So read the lists after the first. */
  onOpen?: () => void;
  /** Told why a connection ended, before the next one is opened; `undefined` when the service closed it. */
  onInterruption?: (reason: UptimeError | undefined) => void;
}

/** One frame as the generated runtime reads it. */
export interface Frame {
  event?: string;
  id?: string;
  data: unknown;
}

/** Opens one connection of the stream, behind the event `lastId` if there is one. */
export type OpenStream = (lastId: string | undefined, signal: AbortSignal) => AsyncGenerator<Frame>;

const SILENCE_MS = 35_000;
/** How errors call it once its connection stands. */
const REQUEST = 'the stream';
const HIDDEN: ReadonlySet<string | undefined> = new Set([undefined, 'ready', 'ping']);

/**
 * The events of one connection after the other, none missed and none twice: whenever one ends, the next resumes behind
 * the last event. Ends with the signal. Throws the problem that no repetition would solve, such as a revoked key.
 */
export async function* followStream(
  open: OpenStream,
  lastId: string | undefined,
  { signal, silenceMs = SILENCE_MS, onOpen, onInterruption }: StreamOptions,
): AsyncGenerator<StreamEvent> {
  const never = new AbortController().signal;
  let position = lastId;
  let failures = 0;
  const isOver = () => signal?.aborted === true;
  while (!isOver()) {
    let reason: UptimeError | undefined;
    try {
      for await (const frame of connection((own) => open(position, own), signal, silenceMs)) {
        failures = 0;
        if (frame.id !== undefined) position = frame.id;
        if (frame.event === 'ready') onOpen?.();
        if (!HIDDEN.has(frame.event)) yield { event: frame.event, id: frame.id, data: frame.data } as StreamEvent;
      }
    } catch (error) {
      reason = noResponse(REQUEST, error);
    }
    if (isOver()) return;
    failures += 1;
    const wait = waitAfter(reason ?? new UptimeNoResponse('the stream was closed', REQUEST), failures);
    if (wait === null) throw reason;
    onInterruption?.(reason);
    await pause(wait, signal ?? never).catch(() => undefined);
  }
}

/** The frames of one connection; fails when it falls silent. Time that the reader of the frames takes does not count. */
async function* connection(
  open: (signal: AbortSignal) => AsyncGenerator<Frame>,
  parent: AbortSignal | undefined,
  silenceMs: number,
): AsyncGenerator<Frame> {
  const own = new AbortController();
  const follow = () => own.abort(parent?.reason);
  parent?.addEventListener('abort', follow, { once: true });
  const frames = open(own.signal);
  let isSilent = false;
  const fallSilent = () => {
    isSilent = true;
    own.abort();
  };
  try {
    for (;;) {
      const timer = setTimeout(fallSilent, silenceMs);
      const next = await frames.next().finally(() => clearTimeout(timer));
      if (isSilent) throw timedOut(`the stream sent nothing for ${silenceMs} ms`, REQUEST);
      if (next.done) return;
      // A frame that was cut off before its data is no event, and its id is not where we are.
      if (next.value.data !== '') yield next.value;
    }
  } finally {
    parent?.removeEventListener('abort', follow);
    own.abort();
    await frames.return(undefined);
  }
}
