import type { ServerResponse, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { unacknowledged } from './unacknowledged';

/** A client that reads nothing of its response is disconnected after this long, at the latest after twice as long. */
const UNREAD_MS = 30_000;
/** So often it is looked at while Node sees no progress, and so often it has then still read nothing. */
const LOOK_EVERY_MS = UNREAD_MS / 2;
const LOOKS = 2;
/** Requests of one connection that may be open at once. Node serves them side by side, however many responses queue up. */
const MAX_PIPELINED = 100;

/**
 * Connects the handler to the server, and bounds what clients hold that send requests and do not read: a connection whose
 * response makes no progress is reset, and so is one with too many requests behind it. A response that is still being
 * prepared has no such limit. Every response of a connection that is gone emits `close`.
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
    // With this listener Node leaves the timeout to us; between two requests it closes the connection itself.
    response.on('timeout', (socket: Socket) => void resetUnread(socket, stuck));
    if (responses && responses.size > MAX_PIPELINED) request.socket.resetAndDestroy();
    else handler(request, response);
  });
}

/** How often all of this was the same: what the system has taken, and what of it the client has not. A stream grows behind that. */
interface Stuck {
  looks: number;
  written: number;
  unacknowledged: number | null;
}

/**
 * Node reports no progress until the system has room for more, a megabyte later: a slow reader needs more than a minute for
 * that. So the system is asked what the client has taken. Looks are counted, not seconds: a service that had no processor
 * for a while looks again before it judges.
 */
async function resetUnread(socket: Socket, stuck: WeakMap<Socket, Stuck>): Promise<void> {
  const seen = { written: socket.bytesWritten - socket.writableLength, unacknowledged: await unacknowledged(socket) };
  // Read to its end, or gone: the next response begins a new wait.
  if (socket.destroyed || socket.writableLength === 0) return;
  const before = stuck.get(socket);
  const isSame = before?.written === seen.written && before.unacknowledged === seen.unacknowledged;
  const looks = isSame ? before.looks + 1 : 0;
  if (looks >= LOOKS) return void socket.resetAndDestroy();
  stuck.set(socket, { ...seen, looks });
  socket.setTimeout(LOOK_EVERY_MS);
}

/** The event of a response whose handler has given all of it, whether or not its client has read anything. */
export const ENDED = 'ended';

/** Makes the response emit `ENDED`. Node tells of its end only once the system has taken all of it. */
function tellEnd(response: ServerResponse): void {
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.end = (...given: unknown[]) => {
    end(...given);
    response.emit(ENDED);
    return response;
  };
}

/** Node emits the end of a connection only on the response whose turn it is. */
function closeQueued(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}

/** Bytes of responses that wait to be read. */
export interface UnreadLimits {
  /** Of one holder: an organization, or an address without a key. */
  perHolder: number;
  inAll: number;
}

interface Held {
  bytes: number;
  /** The oldest first. */
  readonly responses: Map<ServerResponse, number>;
}

/**
 * Counts the bytes of responses that their clients have not read yet. When there are too many, the connection whose
 * response has waited longest is reset: of the holder that has too many, or of the one with the most of all. A client that
 * reads is not hit: its responses leave as fast as they are made.
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

  /** Counts what is left of an ended response until it has left or its connection is gone. `holder`: called only where something is left. */
  count(response: ServerResponse, holder: () => string): void {
    // Its connection went while it was being made: nothing is kept of it, and nothing would tell its end.
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

  /** Walks over the holders, of which there are few: it happens only when memory is short. */
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
