import { OpaquePositions } from '../platform/secrets/opaque-position';
import { DAY_MS } from '../platform/time/time-units';

/**
 * A position in the stream: the writing transaction and a sequence number. Why readers miss nothing, although
 * transactions commit in another order than they begin: see the migration that creates `stream_event`.
 */
export interface StreamPosition {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** How long after disconnecting a client may still resume. */
export const KEPT_MS = DAY_MS;

const PREFIX = 'at_';

/** The ids of `ready`, for clients that have not received an event yet: `at_` and an encrypted position. */
export class StreamPositions {
  private readonly positions: OpaquePositions;

  constructor(secret: Buffer) {
    this.positions = new OpaquePositions(secret);
  }

  format(orgId: string, { xid, seq }: StreamPosition, nowMs: number): string {
    return PREFIX + this.positions.seal(contextOf(orgId), `${nowMs} ${xid} ${seq}`);
  }

  /** `null` for any text that `format` did not make for this organization, and when rows after the position may be deleted. */
  parse(orgId: string, text: string, nowMs: number): StreamPosition | null {
    if (!text.startsWith(PREFIX)) return null;
    const [at, xid, seq] = this.positions.open(contextOf(orgId), text.slice(PREFIX.length))?.split(' ') ?? [];
    if (at === undefined || xid === undefined || seq === undefined) return null;
    return nowMs - Number(at) > KEPT_MS ? null : { xid: BigInt(xid), seq: BigInt(seq) };
  }
}

const contextOf = (orgId: string): string => `${orgId}\nstream`;

/** True when `a` comes after `b`. */
export const isAfter = (a: StreamPosition, b: StreamPosition): boolean =>
  a.xid === b.xid ? a.seq > b.seq : a.xid > b.xid;
