import { Logger } from '@nestjs/common';
import type { Health } from '../platform/observability/health';
import { SECOND_MS } from '../platform/time/time-units';
import { fail } from './fail';

/** The process ends after this time in any case. Supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** How long load balancers have to notice that the service isn't ready, and running requests have to finish. */
const UNREADY_MS = 250;

/** The parts that a signal stops. */
export interface Stopped {
  readonly health: Health;
  /** How long the service continues to serve although it isn't ready. */
  readonly drainSeconds: number;
  /** Stops accepting connections. Existing ones are still served. */
  readonly stopListening: () => void;
  close(): Promise<void>;
}

/** Ends the process after a signal, when `close` has resolved. A second signal ends it at once. */
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
 * Sends clients elsewhere. With a drain time, no request is refused. After it, the port is closed, and accepted
 * requests are finished. Without one, requests are refused at once, so that clients retry elsewhere.
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
