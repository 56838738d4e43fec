import { setTimeout as sleep } from 'node:timers/promises';
import { connectionErrorText } from './connection-error';

/** Before each of the five retries; 30 s in all. Milliseconds. */
const PAUSES: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000];
const REQUEST_TIMEOUT_MS = 10_000;

/** One ping, and where it goes. The address is a secret: no message holds it. */
export interface Ping {
  url: URL;
  /** Sent with `POST`. */
  body: Buffer;
}

type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;
const pauseFor: Pause = (ms, signal) => sleep(ms, undefined, { signal });

/**
 * Sends a ping, six times at most. Resolves with null once it is taken, otherwise with why it was not, in words. `signal` ends
 * the attempts; then it resolves with null, because nobody waits any longer.
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
  /** Whether another attempt can do better. */
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

/** At most the longest pause: a job does not wait for an hour because a proxy says so. */
const retryAfter = ({ headers }: Response): number =>
  Math.min((Number(headers.get('retry-after')) || 0) * 1000, PAUSES.at(-1) ?? 0);

function refusalText(status: number): string {
  if (status === 404) return 'the service has no heartbeat with this ping URL (404)';
  if (status >= 300 && status < 400) return `the ping URL redirects (${status}), and redirects are not followed`;
  return `the service responded with ${status}`;
}
