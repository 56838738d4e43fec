import type { ServerResponse, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { unacknowledged } from './unacknowledged';

/** A client that doesn't read its response is disconnected after this time, or after twice this time at most. */
const UNREAD_MS = 30_000;
/**
 * How often a connection is checked while Node sees no progress, and after how many checks without progress it is
 * reset.
 */
const LOOK_EVERY_MS = UNREAD_MS / 2;
const LOOKS = 2;
/**
 * The maximum number of open requests per connection. Node handles pipelined requests concurrently, however many
 * responses queue up.
 */
const MAX_PIPELINED = 100;

/**
 * Connects the handler to the server and limits the memory that clients use by sending requests without reading the
 * responses. A connection is reset if its response makes no progress or if too many requests are waiting on it. A
 * response that is still being prepared has no such limit. Every response on a closed connection emits `close`.
 */
export function endSlowReaders(server: Server, handler: RequestListener): void {
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  const stuck = new WeakMap<Socket, Stuck>();
  server.setTimeout(LOOK_EVERY_MS);
  server.on('connection', (socket) => {
    const responses = new Set<ServerResponse>();
    open.set(socket, responses);
    socket.once('close', () => responses.forEach(closeQueued));
  });
  server.on('request', (request, response) => {
    const responses = open.get(request.socket);
    responses?.add(response);
    response.once('close', () => responses?.delete(response));
    tellEnd(response);
    // With this listener, Node leaves the timeout to this code. Between two requests, Node itself closes the
    // connection.
    response.on('timeout', (socket: Socket) => void resetUnread(socket, stuck));
    if (responses && responses.size > MAX_PIPELINED) request.socket.resetAndDestroy();
    else handler(request, response);
  });
}

/**
 * The last observed state, and how often it was unchanged. Bytes are counted up to what the system has accepted,
 * because a stream keeps growing after that.
 */
interface Stuck {
  looks: number;
  written: number;
  unacknowledged: number | null;
}

/**
 * Resets a connection whose client reads nothing. Node reports no progress until the system has room for another
 * megabyte, which takes more than a minute if the client reads slowly. For this reason, the code asks the system how
 * much the client has acknowledged. It counts checks and not seconds, because a service that had no CPU time must check
 * again before it resets a connection.
 */
async function resetUnread(socket: Socket, stuck: WeakMap<Socket, Stuck>): Promise<void> {
  const seen = { written: socket.bytesWritten - socket.writableLength, unacknowledged: await unacknowledged(socket) };
  // The response was read completely, or the connection is closed. The next response starts a new wait.
  if (socket.destroyed || socket.writableLength === 0) return;
  const before = stuck.get(socket);
  const isSame = before?.written === seen.written && before.unacknowledged === seen.unacknowledged;
  const looks = isSame ? before.looks + 1 : 0;
  if (looks >= LOOKS) return void socket.resetAndDestroy();
  stuck.set(socket, { ...seen, looks });
  socket.setTimeout(LOOK_EVERY_MS);
}

/** A response emits this event once its handler has written all of it, whether or not the client has read anything. */
export const ENDED = 'ended';

/** Makes the response emit `ENDED`. Node reports the end only once the system has accepted all bytes. */
function tellEnd(response: ServerResponse): void {
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.end = (...given: unknown[]) => {
    end(...given);
    response.emit(ENDED);
    return response;
  };
}

/** Node emits `close` only on the response whose turn it is, so queued responses need this. */
function closeQueued(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}

/** Limits on unread responses, in bytes. */
export interface UnreadLimits {
  /** The limit for one organization, or for one address without a key. */
  perHolder: number;
  inAll: number;
}

interface Held {
  bytes: number;
  readonly responses: Map<ServerResponse, number>;
}

/**
 * Counts the bytes in responses that clients have not read yet. Above a limit, the connection with the oldest unread
 * response is reset. It is chosen from the holder that is over its limit, or from the holder with the most bytes.
 * Clients that read are not affected, because their responses are sent as fast as they are produced.
 */
export class UnreadResponses {
  private readonly holders = new Map<string, Held>();
  private total = 0;

  constructor(
    private readonly limits: UnreadLimits,
    private readonly onReset: () => void,
  ) {}

  get bytes(): number {
    return this.total;
  }

  /**
   * Counts the unread rest of an ended response until it is sent or its connection closes. `holder` is called only if
   * bytes remain.
   */
  count(response: ServerResponse, holder: () => string): void {
    // If the connection closed while the response was being prepared, nothing is stored and no event would follow.
    const bytes = response.destroyed ? 0 : response.writableLength;
    if (bytes > 0) this.add(holder(), response, bytes);
  }

  private add(holder: string, response: ServerResponse, bytes: number): void {
    const held = this.heldBy(holder);
    held.responses.set(response, bytes);
    held.bytes += bytes;
    this.total += bytes;
    response.once('close', () => this.remove(holder, held, response));
    while (held.bytes > this.limits.perHolder && held.responses.size > 1) this.resetOldest(holder, held);
    while (this.total > this.limits.inAll && this.resetOldestOfLargest()) continue;
  }

  private heldBy(holder: string): Held {
    const known = this.holders.get(holder);
    if (known) return known;
    const held = { bytes: 0, responses: new Map<ServerResponse, number>() };
    this.holders.set(holder, held);
    return held;
  }

  private remove(holder: string, held: Held, response: ServerResponse): void {
    const bytes = held.responses.get(response);
    if (bytes === undefined) return;
    held.responses.delete(response);
    held.bytes -= bytes;
    this.total -= bytes;
    if (held.responses.size === 0 && this.holders.get(holder) === held) this.holders.delete(holder);
  }

  /** Cost: linear in the number of holders. Runs only when memory is short. */
  private resetOldestOfLargest(): boolean {
    let largest: [string, Held] | null = null;
    for (const entry of this.holders) if (largest === null || entry[1].bytes > largest[1].bytes) largest = entry;
    return largest !== null && this.resetOldest(...largest);
  }

  private resetOldest(holder: string, held: Held): boolean {
    const [oldest] = held.responses.keys();
    if (!oldest) return false;
    this.remove(holder, held, oldest);
    this.onReset();
    oldest.req.socket.resetAndDestroy();
    return true;
  }
}
