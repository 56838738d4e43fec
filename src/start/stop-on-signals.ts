import { Logger } from '@nestjs/common';
import type { Health } from '../platform/observability/health';
import { SECOND_MS } from '../platform/time/time-units';
import { fail } from './fail';

/** After this the process ends whatever is left; supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** Load balancers get this long to notice that we are not ready; requests that are under way, to be answered. */
const UNREADY_MS = 250;

/** What a signal ends. */
export interface Stopped {
  readonly health: Health;
  /** For so long it goes on serving although it is not ready. */
  readonly drainSeconds: number;
  /** From now on no connection is taken; those that are there are served. */
  readonly stopListening: () => void;
  close(): Promise<void>;
}

/** A signal ends the process once `close` has resolved; a second one at once. */
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
 * Sends the clients elsewhere. With a time to drain nobody is refused: after it the port is closed, and what was accepted until then
 * is answered. Without one, requests are refused at once, for which a client tries again elsewhere.
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
