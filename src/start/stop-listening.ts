import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** The maximum number of event loop iterations to wait for one without a new connection. */
const MOST_ROUNDS = 1000;

/**
 * Stops accepting connections without closing existing ones, because a proxy may still use idle ones. The kernel resets
 * connections that it has accepted but the process has not. The port is therefore closed in an event loop iteration
 * immediately after one in which no connection was waiting.
 */
export function stopListening(server: Server): void {
  let isQuiet = false;
  const notQuiet = (): void => void (isQuiet = false);
  server.on('connection', notQuiet);
  const look = (round: number): void => {
    if (isQuiet || round === MOST_ROUNDS) {
      server.off('connection', notQuiet);
      // The HTTP server's own `close` also closes idle connections.
      NetServer.prototype.close.call(server);
      return;
    }
    isQuiet = true;
    setImmediate(look, round + 1);
  };
  look(0);
}
