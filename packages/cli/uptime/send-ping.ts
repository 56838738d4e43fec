import { setTimeout as sleep } from 'node:timers/promises';
import { connectionErrorText } from './connection-error';

/** The pauses before the five retries, in milliseconds. They add up to 30 s. */
const PAUSES: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000];
const REQUEST_TIMEOUT_MS = 10_000;

/** A ping and its URL. The URL is a secret, so no message contains it. */
export interface Ping {
  url: URL;
  /** Sent using `POST`. */
  body: Buffer;
}

type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;
const pauseFor: Pause = (ms, signal) => sleep(ms, undefined, { signal });

/**
 * Sends a ping in at most six attempts. Resolves with null if the service accepted it, otherwise with the reason as a
 * string. If `signal` is aborted, it stops and resolves with null, because no one is waiting.
 */
export async function sendPing(ping: Ping, signal: AbortSignal, pause = pauseFor): Promise<string | null> {
  for (const ms of [...PAUSES, null]) {
    const failure = await attempt(ping, signal);
    if (signal.aborted || failure === null) return null;
    if (!failure.mayPass || ms === null) return failure.text;
    await pause(Math.max(ms, failure.retryAfterMs), signal).catch(() => undefined);
    if (signal.aborted) return null;
  }
  return null;
}

interface Failure {
  text: string;
  /** Whether a retry could succeed. */
  mayPass: boolean;
  retryAfterMs: number;
}

async function attempt({ url, body }: Ping, signal: AbortSignal): Promise<Failure | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (response.ok) return null;
    const { status } = response;
    return { text: refusalText(status), mayPass: status === 429 || status >= 500, retryAfterMs: retryAfter(response) };
  } catch (error) {
    if (signal.aborted) return null;
    return { text: `the service ${connectionErrorText(error)}`, mayPass: true, retryAfterMs: 0 };
  }
}

/** Limits the pause, so that a job doesn't wait for an hour because a proxy requests it. */
const retryAfter = ({ headers }: Response): number =>
  Math.min((Number(headers.get('retry-after')) || 0) * 1000, PAUSES.at(-1) ?? 0);

function refusalText(status: number): string {
  if (status === 404) return 'the service has no heartbeat with this ping URL (404)';
  if (status >= 300 && status < 400) return `the ping URL redirects (${status}), and redirects are not followed`;
  return `the service responded with ${status}`;
}
