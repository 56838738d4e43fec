import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * Reads nothing more from a socket until what is being written to it has left and `then` is done; a failure of `then`
 * ends the connection. For failpoints between a request and its response. Never rejects.
 */
export async function holdResponse(socket: Socket, then: () => Promise<void>): Promise<void> {
  socket.pause();
  // The owner of the socket begins to write in this turn of the event loop; our empty write follows it.
  await setImmediate();
  const hasLeft = await new Promise<boolean>((resolve) => socket.write('', (error) => resolve(!error)));
  try {
    if (hasLeft) await then();
    socket.resume();
  } catch {
    socket.destroy();
  }
}
