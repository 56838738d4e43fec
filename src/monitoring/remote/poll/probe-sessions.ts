import { Injectable } from '@nestjs/common';
import type { ProbeCaller } from '../../../platform/access/caller';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { epochMs } from '../../../platform/database/epoch-ms';
import { problems } from '../../../platform/problem/problem';
import { SECOND_MS } from '../../../platform/time/time-units';
import type { PollRequest } from '../../../probe-protocol/protocol';
import { VERSION_RULE } from './poll-request';
import { decideSession } from './session-rules';

/** A probe that is heard all the time is written down this often. */
const SEEN_EVERY_MS = 5 * SECOND_MS;
/** So many processes with one token may poll at the same moment before one is told to come again. */
const ATTEMPTS = 4;

/** A probe as a poll finds it. */
export interface PolledProbe {
  session: string | null;
  seenMs: number | null;
  /** The highest number of its changes. */
  numbered: number;
  epoch: number;
  allowPrivate: boolean;
  online: boolean;
  protocol: number | null;
  version: string | null;
  types: string[] | null;
}

// Cost: a look by primary key.
const READ = `
  SELECT session, ${epochMs('last_seen_at')} AS "seenMs", numbered::float8 AS numbered, epoch, enabled,
         allow_private AS "allowPrivate", online, protocol, version, types
    FROM probe WHERE id = $1`;

// One row by primary key, no index of which changes; nothing where another session was quicker.
const HEAR = `
  UPDATE probe
     SET session = $2::text, sessions = sessions + (session IS DISTINCT FROM $2::text)::int, online = true,
         status_since = CASE WHEN online THEN status_since ELSE $4::timestamptz END, last_seen_at = $4::timestamptz, address = $5, version = $6, protocol = $7,
         types = $8, clock_offset_ms = $9, rtt_ms = $10, lag_ms = $11, buffered = $12, dropped = $13, skipped = $14
   WHERE id = $1 AND session IS NOT DISTINCT FROM $3::text RETURNING 1`;

// What is too old or too new to be understood is seen all the same: it is shown as unsupported.
const HEAR_UNSUPPORTED = `
  UPDATE probe SET protocol = $2::smallint, version = coalesce($3, version), last_seen_at = $4::timestamptz, address = $5, online = false,
         status_since = CASE WHEN online THEN $4::timestamptz ELSE status_since END
   WHERE id = $1 AND (protocol IS DISTINCT FROM $2::smallint OR last_seen_at IS NULL OR last_seen_at < $6)`;

/** Which process of a probe works, when it was heard, and what it says of itself. */
@Injectable()
export class ProbeSessions {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Takes note of a poll. `isOld`: the session has polled before. One statement; two every 5 s, and when something changed. Throws
   * `session_replaced`, and what `look` throws.
   */
  async hear(
    probe: ProbeCaller,
    request: PollRequest,
    isOld: boolean,
    address: string | undefined,
  ): Promise<PolledProbe> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const held = await this.read(probe);
      const nowMs = this.clock.now().getTime();
      const decision = decideSession(held, { ...request, isOld }, nowMs);
      if (decision === 'replaced') throw problems.sessionReplaced();
      if (decision === 'same' && isFresh(held, request, nowMs)) return held;
      if (await this.write(probe, request, held.session, address)) return { ...held, session: request.session };
    }
    throw problems.temporarilyUnavailable();
  }

  /** The probe now. Throws `unauthenticated` when it or its token is gone, `probe_disabled`, and `session_replaced` unless the session still works. */
  async look(probe: ProbeCaller, session: string): Promise<PolledProbe> {
    const held = await this.read(probe);
    if (held.session === null) throw problems.unknownProbe();
    if (held.session !== session) throw problems.sessionReplaced();
    return held;
  }

  /** Takes note of a probe that speaks another protocol. */
  async hearUnsupported(probe: ProbeCaller, body: object, address: string | undefined): Promise<void> {
    const { protocol, version } = body as { protocol?: unknown; version?: unknown };
    if (!Number.isInteger(protocol) || Math.abs(Number(protocol)) > MAX_PROTOCOL) return;
    const now = this.clock.now();
    await this.database.query(HEAR_UNSUPPORTED, [
      probe.probeId,
      protocol,
      VERSION_RULE.is(version) ? version : null,
      now,
      address ?? null,
      new Date(now.getTime() - SEEN_EVERY_MS),
    ]);
  }

  private async read({ probeId }: ProbeCaller): Promise<PolledProbe> {
    const [row] = await this.database.query<PolledProbe & { enabled: boolean }>(READ, [probeId]);
    if (!row) throw problems.unknownProbe();
    if (!row.enabled) throw problems.probeDisabled();
    return row;
  }

  private async write(
    { probeId }: ProbeCaller,
    request: PollRequest,
    before: string | null,
    address: string | undefined,
  ): Promise<boolean> {
    const now = this.clock.now();
    // The request was under way for about half of what the last one took there and back.
    const offsetMs = request.clock + request.rtt_ms / 2 - now.getTime();
    const written = await this.database.query(HEAR, [
      probeId,
      request.session,
      before,
      now,
      address ?? null,
      request.version,
      request.protocol,
      // One that says nothing of them is taken to check all.
      request.types.length > 0 ? request.types : null,
      Number.isFinite(offsetMs) ? offsetMs : null,
      request.rtt_ms,
      Math.round(request.lag_ms),
      request.buffered,
      Math.round(request.dropped),
      Math.round(request.skipped),
    ]);
    return written.length > 0;
  }
}

/** What a smallint holds. */
const MAX_PROTOCOL = 32_767;

const isFresh = (held: PolledProbe, { protocol, version, types }: PollRequest, nowMs: number): boolean =>
  held.online &&
  held.seenMs !== null &&
  nowMs - held.seenMs < SEEN_EVERY_MS &&
  held.protocol === protocol &&
  held.version === version &&
  (held.types ?? []).join() === types.join();
