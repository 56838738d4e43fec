import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that reads nothing of its response is disconnected after this long, at the latest after twice as long. */
const UNREAD_MS = 30_000;
/** Requests of one connection that may be open at once. Node serves them side by side, however many responses queue up. */
const MAX_PIPELINED = 100;

/**
 * Connects the handler to the server, and bounds what clients hold that send requests and do not read: a connection whose
 * response makes no progress is reset, and so is one with too many requests behind it. A response that is still being
 * prepared has no such limit. Every response of a connection that is gone emits `close`.
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
    // With this listener Node leaves the timeout to us; between two requests it closes the connection itself.
    response.on('timeout', resetUnread);
    if (responses && responses.size > MAX_PIPELINED) request.socket.resetAndDestroy();
    else handler(request, response);
  });
}

/** Node does not time out while the system still accepts parts of a long write. */
function resetUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy();
}

/** Node emits the end of a connection only on the response whose turn it is. */
function closeQueued(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}
