import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * Stops reading from a socket until pending writes are sent and `then` has finished. If `then` fails, closes the
 * connection. For failpoints between a request and its response. Never rejects.
 */
export async function holdResponse(socket: Socket, then: () => Promise<void>): Promise<void> {
  socket.pause();
  // The socket's owner starts to write in this turn of the event loop, and the empty write below follows it.
  await setImmediate();
  const hasLeft = await new Promise<boolean>((resolve) => socket.write('', (error) => resolve(!error)));
  try {
    if (hasLeft) await then();
    socket.resume();
  } catch {
    socket.destroy();
  }
}
