import { Injectable } from '@nestjs/common';
import { OpaquePositions } from '../../../platform/secrets/opaque-position';
import { ServerSecrets } from '../../../platform/secrets/server-secrets';
import { HOUR_MS } from '../../../platform/time/time-units';

/** Removals are kept for a day. With an older cursor, there is no way to know what the probe has to remove. */
const VALID_MS = 23 * HOUR_MS;
/** How long a cursor is reused while its position is unchanged. */
const GIVEN_MS = HOUR_MS;

/** How far a probe's session has read. */
export interface PollPosition {
  session: string;
  /** The probe's epoch when the cursor was created. A cursor from another epoch is treated as unknown. */
  epoch: number;
  /** All changes up to this number have been sent. */
  numbered: number;
  /**
   * While everything is being sent, the last endpoint (UUID) on the previous page, or `null` once all pages are sent.
   */
  after: string | null;
}

/** A cursor that a probe has sent, and when the cursor was created. */
export interface SentPosition extends PollPosition {
  cursor: string;
  madeMs: number;
}

/**
 * Encrypts and decrypts poll cursors. Each cursor is bound to one probe and to a secret of this database, so a cursor
 * from another database is unknown.
 */
@Injectable()
export class PollCursors {
  private positions: OpaquePositions | null = null;

  constructor(private readonly secrets: ServerSecrets) {}

  /** Returns a cursor for the position. `before` is the cursor that the probe has sent. */
  seal(probeId: string, position: PollPosition, before: SentPosition | null, nowMs: number): string {
    if (before && nowMs - before.madeMs < GIVEN_MS && isSame(before, position)) return before.cursor;
    const { session, epoch, numbered, after } = position;
    return this.opaque.seal(contextOf(probeId), [session, epoch, numbered, after ?? '', Math.round(nowMs)].join(' '));
  }

  /** Returns `null` if there is no cursor, or if the cursor is unknown or too old. */
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
