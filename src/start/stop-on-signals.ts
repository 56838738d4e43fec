import { Logger } from '@nestjs/common';
import type { Health } from '../platform/observability/health';
import { SECOND_MS } from '../platform/time/time-units';
import { fail } from './fail';

/** The process exits after this time in any case. Supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** The time for load balancers to notice that the service isn't ready, and for running requests to finish. */
const UNREADY_MS = 250;

/** The parts of the service that a signal stops. */
export interface Stopped {
  readonly health: Health;
  /** How long the service continues to serve requests although it isn't ready. */
  readonly drainSeconds: number;
  /** Stops accepting connections. Existing connections are still served. */
  readonly stopListening: () => void;
  close(): Promise<void>;
}

/** Exits the process after a signal, once `close` has resolved. After a second signal, it exits immediately. */
export function stopOnSignals(stopped: Stopped): void {
  const logger = new Logger('Main');
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${signal} received: finishing running work`);
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    await leave(stopped);
    await stopped.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal).catch(fail));
}

/**
 * Directs clients to other instances. With a drain time, no request is refused. After the drain time, the port is
 * closed, and accepted requests are completed. Without a drain time, requests are refused immediately, so that clients
 * retry elsewhere.
 */
async function leave({ health, drainSeconds, stopListening }: Stopped): Promise<void> {
  health.leave();
  if (drainSeconds > 0) {
    await wait(drainSeconds * SECOND_MS);
    stopListening();
  } else health.drain();
  await wait(UNREADY_MS);
  health.drain();
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
