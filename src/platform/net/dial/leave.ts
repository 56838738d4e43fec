import type { Socket } from 'node:net';
import { ignoreError } from './happy-eyeballs';

/** How long the other side has to close as well. */
const LINGER_MS = 1000;
/** A server that sends more than this to a client that leaves is cut off. */
const MAX_DISCARDED = 64 * 1024;

/**
 * Ends a connection as its server expects: what it sends is read, and our end is announced. A socket that is destroyed while
 * something is unread ends with a reset (RFC 2525, section 2.17), which servers log as a fault. Returns whether the server sent
 * anything, once both sides have ended or after a second. Keeps no process alive; never rejects.
 */
export function leave(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      socket.removeAllListeners('data').destroy();
      resolve(socket.bytesRead > 0);
    };
    const timer = setTimeout(finish, LINGER_MS);
    timer.unref();
    socket.removeAllListeners('data');
    socket.on('error', ignoreError).once('error', finish).once('end', finish).once('close', finish);
    socket.on('data', () => socket.bytesRead > MAX_DISCARDED && finish());
    socket.unref();
    socket.resume();
    socket.end();
  });
}
