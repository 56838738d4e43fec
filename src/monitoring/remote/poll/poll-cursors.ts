import { Injectable } from '@nestjs/common';
import { OpaquePositions } from '../../../platform/secrets/opaque-position';
import { ServerSecrets } from '../../../platform/secrets/server-secrets';
import { HOUR_MS } from '../../../platform/time/time-units';

/** Removals are kept for a day: of an older cursor nobody knows what to forget. */
const VALID_MS = 23 * HOUR_MS;
/** A cursor that still tells the truth is given again for so long. */
const GIVEN_MS = HOUR_MS;

/** How far a session of a probe has read. */
export interface PollPosition {
  session: string;
  /** Of the probe when the cursor was made: one of another epoch is unknown. */
  epoch: number;
  /** All changes up to this number are told. */
  numbered: number;
  /** While everything is being told: the last endpoint (uuid) of the page before; `null` when all of it is. */
  after: string | null;
}

/** A cursor that a probe has sent, and when it was made. */
export interface SentPosition extends PollPosition {
  cursor: string;
  madeMs: number;
}

/** Cursors of polls: sealed for one probe by a secret of this database, so that one of another database is unknown, too. */
@Injectable()
export class PollCursors {
  private positions: OpaquePositions | null = null;

  constructor(private readonly secrets: ServerSecrets) {}

  /** `before`: the one that the probe has sent. */
  seal(probeId: string, position: PollPosition, before: SentPosition | null, nowMs: number): string {
    if (before && nowMs - before.madeMs < GIVEN_MS && isSame(before, position)) return before.cursor;
    const { session, epoch, numbered, after } = position;
    return this.opaque.seal(contextOf(probeId), [session, epoch, numbered, after ?? '', Math.round(nowMs)].join(' '));
  }

  /** `null` without a cursor, and for one that is unknown or too old. */
  open(probeId: string, cursor: string | null, nowMs: number): SentPosition | null {
    const text = cursor === null ? null : this.opaque.open(contextOf(probeId), cursor);
    const [session = '', epoch, numbered, after, madeMs] = text?.split(' ') ?? [];
    if (cursor === null || text === null || nowMs - Number(madeMs) > VALID_MS) return null;
    const read = { epoch: Number(epoch), numbered: Number(numbered), madeMs: Number(madeMs) };
    return { cursor, session, ...read, after: after === '' ? null : (after ?? null) };
  }

  private get opaque(): OpaquePositions {
    return (this.positions ??= new OpaquePositions(this.secrets.get('cursor')));
  }
}

const isSame = (one: PollPosition, other: PollPosition): boolean =>
  one.session === other.session &&
  one.epoch === other.epoch &&
  one.numbered === other.numbered &&
  one.after === other.after;

const contextOf = (probeId: string): string => `probe\n${probeId}`;
