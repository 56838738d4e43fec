import { Logger } from '@nestjs/common';
import type { Health } from '../platform/observability/health';
import { fail } from './fail';

/** After this the process ends whatever is left; supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** Load balancers get this long to notice that we are not ready. */
const UNREADY_MS = 250;

/** A signal ends the process once `close` has resolved; a second one at once. */
export function stopOnSignals(health: Health, close: () => Promise<void>): void {
  const logger = new Logger('Main');
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${signal}: finishing what is under way`);
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    health.drain();
    await new Promise((resolve) => setTimeout(resolve, UNREADY_MS));
    await close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal).catch(fail));
}
