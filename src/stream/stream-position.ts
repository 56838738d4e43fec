/**
 * A place in the stream: the writing transaction and a number within it. Rows of transactions that commit later always
 * come later, see the migration of `stream_event`.
 */
export interface StreamPosition {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** How long a reader may stay away and still resume. */
export const KEPT_MS = 24 * 3_600_000;

const FORM = /^at_(\d{1,15})_(\d{1,19})_(\d{1,19})$/;

/** The id of a greeting, for readers that have not received anything yet: `at_<milliseconds>_<xid>_<seq>`. */
export const formatPosition = ({ xid, seq }: StreamPosition, nowMs: number): string => `at_${nowMs}_${xid}_${seq}`;

/** The position of a greeting's id; `null` for any other text and for one so old that rows after it may be gone. */
export function parsePosition(text: string, nowMs: number): StreamPosition | null {
  const [match, at = '', xid = '', seq = ''] = FORM.exec(text) ?? [];
  return match === undefined || nowMs - Number(at) > KEPT_MS ? null : { xid: BigInt(xid), seq: BigInt(seq) };
}

/** True when `a` comes after `b`. */
export const isAfter = (a: StreamPosition, b: StreamPosition): boolean =>
  a.xid === b.xid ? a.seq > b.seq : a.xid > b.xid;
