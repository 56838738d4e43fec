import type { Socket } from 'node:net';
import { ignoreError } from './happy-eyeballs';

/** How long the peer may take to close its side. */
const LINGER_MS = 1000;
/** A server that sends more than this to a client that is disconnecting is cut off. */
const MAX_DISCARDED = 64 * 1024;

/**
 * Closes a connection gracefully: announces the end and reads the data that the server still sends. Destroying a socket
 * with unread data sends a reset (RFC 2525, section 2.17), which servers log as an error. Resolves after both sides
 * have closed, or after one second. The result is whether the server sent anything. Doesn't keep the process alive.
 * Never rejects.
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
