import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Rounds of the event loop in which it waits for one without a new connection. */
const MOST_ROUNDS = 1000;

/**
 * Stops taking connections, and leaves those that are there alone: a proxy that keeps idle ones may still use them. The kernel
 * resets what it has taken and the process has not, so the port is closed in a round of the event loop right after nothing was waiting.
 */
export function stopListening(server: Server): void {
  let isQuiet = false;
  const notQuiet = (): void => void (isQuiet = false);
  server.on('connection', notQuiet);
  const look = (round: number): void => {
    if (isQuiet || round === MOST_ROUNDS) {
      server.off('connection', notQuiet);
      // That of HTTP closes idle connections as well.
      NetServer.prototype.close.call(server);
      return;
    }
    isQuiet = true;
    setImmediate(look, round + 1);
  };
  look(0);
}
