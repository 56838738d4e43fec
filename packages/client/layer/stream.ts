import type { Ops } from './api';
import { noResponse, timedOut, type UptimeError, UptimeNoResponse } from './errors';
import { pause, waitAfter } from './transport';

type AnyStreamEvent = Ops['stream']['result'];

/**
 * An event, or `reset` if more events were missed than the service keeps. After `reset`, reload the lists. The client
 * doesn't emit `ready` and `ping`.
 */
export type StreamEvent =
  Exclude<AnyStreamEvent, { event: 'ready' | 'reset' | 'ping' }> | { event: 'reset'; id?: undefined; data: object };

/** Options for the stream. */
export interface StreamOptions {
  /** Ends the stream. The iteration completes without an error. */
  signal?: AbortSignal;
  /** Headers to send in addition to the client's headers. */
  headers?: Record<string, string>;
  /**
   * How long to wait for data before dropping the connection, in milliseconds. Default: 35,000. The service pings every
   * 10 s.
   */
  silenceMs?: number;
  /** Called when a connection is established. All later events will arrive, so load the lists after the first call. */
  onOpen?: () => void;
  /**
   * Called with the reason when a connection is lost, before the next one is opened. The reason is `undefined` if the
   * service closed the connection.
   */
  onInterruption?: (reason: UptimeError | undefined) => void;
}

/** A frame, as read by the generated runtime. */
export interface Frame {
  event?: string;
  id?: string;
  data: unknown;
}

/** Opens one connection to the stream. If `lastId` is set, the stream starts after that event. */
export type OpenStream = (lastId: string | undefined, signal: AbortSignal) => AsyncGenerator<Frame>;

const SILENCE_MS = 35_000;
/** The request name used in errors after the connection is established. */
const REQUEST = 'the stream';
const HIDDEN: ReadonlySet<string | undefined> = new Set([undefined, 'ready', 'ping']);

/**
 * Yields the events from one connection after another, without gaps or duplicates. Each connection resumes after the
 * last event. Ends when the signal is aborted. Throws: a problem that retries can't solve, such as a revoked key.
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

/**
 * Yields the frames from one connection. Fails if the connection is silent for too long, not counting the time that the
 * consumer takes.
 */
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
      // A frame that was cut off before its data isn't an event, so its ID must not become the resume position.
      if (next.value.data !== '') yield next.value;
    }
  } finally {
    parent?.removeEventListener('abort', follow);
    own.abort();
    await frames.return(undefined);
  }
}
