import { Injectable } from '@nestjs/common';
import { OpaquePositions } from '../../../platform/secrets/opaque-position';
import { ServerSecrets } from '../../../platform/secrets/server-secrets';
import { HOUR_MS } from '../../../platform/time/time-units';

/** Removals are kept for a day: of an older cursor nobody knows what to forget. */
const VALID_MS = 23 * HOUR_MS;

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

/** Cursors of polls: sealed for one probe by a secret of this database, so that one of another database is unknown, too. */
@Injectable()
export class PollCursors {
  private positions: OpaquePositions | null = null;

  constructor(private readonly secrets: ServerSecrets) {}

  seal(probeId: string, { session, epoch, numbered, after }: PollPosition, nowMs: number): string {
    return this.opaque.seal(contextOf(probeId), [session, epoch, numbered, after ?? '', Math.round(nowMs)].join(' '));
  }

  /** `null` without a cursor, and for one that is unknown or too old. */
  open(probeId: string, cursor: string | null, nowMs: number): PollPosition | null {
    const text = cursor === null ? null : this.opaque.open(contextOf(probeId), cursor);
    const [session = '', epoch, numbered, after, madeMs] = text?.split(' ') ?? [];
    if (text === null || nowMs - Number(madeMs) > VALID_MS) return null;
    return { session, epoch: Number(epoch), numbered: Number(numbered), after: after === '' ? null : (after ?? null) };
  }

  private get opaque(): OpaquePositions {
    return (this.positions ??= new OpaquePositions(this.secrets.get('cursor')));
  }
}

const contextOf = (probeId: string): string => `probe\n${probeId}`;
