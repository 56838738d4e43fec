import { OpaquePositions } from '../platform/secrets/opaque-position';
import { DAY_MS } from '../platform/time/time-units';

/**
 * A position in the stream: the transaction that wrote the event, and a sequence number. The migration that creates
 * `stream_event` explains why readers miss nothing, although transactions don't commit in the order in which they
 * start.
 */
export interface StreamPosition {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** How long after disconnecting a client may still resume. */
export const KEPT_MS = DAY_MS;

const PREFIX = 'at_';

/** The IDs of `ready` events, for clients that have not received another event yet: `at_` and an encrypted position. */
export class StreamPositions {
  private readonly positions: OpaquePositions;

  constructor(secret: Buffer) {
    this.positions = new OpaquePositions(secret);
  }

  format(orgId: string, { xid, seq }: StreamPosition, nowMs: number): string {
    return PREFIX + this.positions.seal(contextOf(orgId), `${nowMs} ${xid} ${seq}`);
  }

  /**
   * Returns `null` for any text that `format` did not create for this organization. Also returns `null` if rows after
   * the position may have been deleted.
   */
  parse(orgId: string, text: string, nowMs: number): StreamPosition | null {
    if (!text.startsWith(PREFIX)) return null;
    const [at, xid, seq] = this.positions.open(contextOf(orgId), text.slice(PREFIX.length))?.split(' ') ?? [];
    if (at === undefined || xid === undefined || seq === undefined) return null;
    return nowMs - Number(at) > KEPT_MS ? null : { xid: BigInt(xid), seq: BigInt(seq) };
  }
}

const contextOf = (orgId: string): string => `${orgId}\nstream`;

/** Returns true if `a` comes after `b`. */
export const isAfter = (a: StreamPosition, b: StreamPosition): boolean =>
  a.xid === b.xid ? a.seq > b.seq : a.xid > b.xid;
