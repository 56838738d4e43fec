import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that takes nothing of its answer is given up after this long, at the latest after twice as long. */
const UNREAD_MS = 30_000;
/** Requests of one connection that may be open at once; Node serves them side by side, however long the queue of answers. */
const MAX_PIPELINED = 100;

/**
 * Has the handler answer the server's requests, and bounds what clients hold that ask and do not read: a connection with
 * an answer that makes no progress is reset, and so is one that asks on and on meanwhile. An answer that is still being
 * made has no such limit. Every response of a connection that is gone emits `close`.
 */
export function endSlowReaders(server: Server, handler: RequestListener): void {
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  server.setTimeout(UNREAD_MS);
  server.on('connection', (socket) => {
    const responses = new Set<ServerResponse>();
    open.set(socket, responses);
    socket.once('close', () => responses.forEach(closeQueued));
  });
  server.on('request', (request, response) => {
    const responses = open.get(request.socket);
    responses?.add(response);
    response.once('close', () => responses?.delete(response));
    // With this listener Node leaves it to us; between two requests it closes the connection itself.
    response.on('timeout', giveUpUnread);
    if (responses && responses.size > MAX_PIPELINED) request.socket.resetAndDestroy();
    else handler(request, response);
  });
}

/** Node does not count as silence that the system takes part of a long write. */
function giveUpUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy();
}

/** Node tells the end of a connection only to the response whose turn it is. */
function closeQueued(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}
