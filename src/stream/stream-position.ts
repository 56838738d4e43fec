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

const FORM = /^at_(\d{1,15})_(\d{1,19})_(\d{1,19})$/;

/** The id of `ready`, for clients that have not received an event yet: `at_<milliseconds>_<xid>_<seq>`. */
export const formatPosition = ({ xid, seq }: StreamPosition, nowMs: number): string => `at_${nowMs}_${xid}_${seq}`;

/** The position in the id of a `ready`; `null` for any other text and for one so old that rows after it may be deleted. */
export function parsePosition(text: string, nowMs: number): StreamPosition | null {
  const [match, at = '', xid = '', seq = ''] = FORM.exec(text) ?? [];
  return match === undefined || nowMs - Number(at) > KEPT_MS ? null : { xid: BigInt(xid), seq: BigInt(seq) };
}

/** True when `a` comes after `b`. */
export const isAfter = (a: StreamPosition, b: StreamPosition): boolean =>
  a.xid === b.xid ? a.seq > b.seq : a.xid > b.xid;
