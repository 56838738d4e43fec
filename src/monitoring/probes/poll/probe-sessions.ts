import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ProbeCaller } from '../../../platform/access/caller';
import { type ProbeState, ProbeTokens } from '../../../platform/access/probe-tokens';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { problems } from '../../../platform/problem/problem';
import { SECOND_MS } from '../../../platform/time/time-units';
import type { PollRequest } from '../../../probe-protocol/protocol';
import { stateColumns } from '../../../probe/stored-probe-tokens';
import { VERSION_RULE } from './poll-request';
import { decideSession } from './session-rules';

/** How often a probe's last contact is written while it polls continuously. */
const SEEN_EVERY_MS = 5 * SECOND_MS;
/**
 * Contacts are written together with newer contacts of other probes, unless the last contact is so old
 * that the probe could count as not responding …
 */
const WRITE_EVERY_MS = SECOND_MS;
const ALONE_AFTER_MS = 30 * SECOND_MS;
/** … and contacts that can't be written for this long are dropped, because the next poll repeats them. */
const KEPT_MS = 10 * SECOND_MS;
/** If several processes with the same token poll at the same moment, all but one of them have to try again. */
const ATTEMPTS = 4;

// Cost: two primary key lookups, one for the probe and one for its organization.
const READ = `
  SELECT p.enabled, ${stateColumns(2)}
    FROM probe p LEFT JOIN organization o ON o.id = p.org_id WHERE p.id = $1 AND o.deleted_at IS NULL`;

/** The columns that change with each poll, and their types. */
const SAID = {
  last_seen_at: 'timestamptz',
  address: 'text',
  clock_offset_ms: 'float8',
  rtt_ms: 'float8',
  lag_ms: 'integer',
  buffered: 'integer',
  dropped: 'bigint',
  skipped: 'bigint',
} as const;
const SAID_NAMES = Object.keys(SAID) as (keyof typeof SAID)[];
type Said = Record<keyof typeof SAID, Date | string | number | null>;

// Updates one row by primary key, without any index change. Updates nothing if another session was faster.
const HEAR = `
  UPDATE probe
     SET session = $2::text, sessions = sessions + (session IS DISTINCT FROM $2::text)::int, online = true,
         status_since = CASE WHEN online THEN status_since ELSE $7::timestamptz END, version = $4, protocol = $5, types = $6,
         ${SAID_NAMES.map((name, i) => `${name} = $${7 + i}::${SAID[name]}`).join(', ')}
   WHERE id = $1 AND session IS NOT DISTINCT FROM $3::text RETURNING 1`;

// Handles several probes whose sessions continue. Nothing waits here, and locked rows are left for the next
// run.
const HEAR_ALL = `
  WITH heard AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], ${SAID_NAMES.map((name, i) => `$${3 + i}::${SAID[name]}[]`).join(', ')})
      AS h (id, session, ${SAID_NAMES.join(', ')})
  ), locked AS (
    SELECT p.id FROM probe p JOIN heard h ON h.id = p.id AND h.session = p.session AND h.last_seen_at > p.last_seen_at FOR UPDATE OF p SKIP LOCKED
  )
  UPDATE probe p SET ${SAID_NAMES.map((name) => `${name} = h.${name}`).join(', ')}
    FROM heard h JOIN locked l ON l.id = h.id WHERE p.id = h.id RETURNING p.id`;

// A probe with an unsupported protocol is recorded as seen and shown as unsupported.
const HEAR_UNSUPPORTED = `
  UPDATE probe SET protocol = $2::smallint, version = coalesce($3, version), last_seen_at = $4::timestamptz, address = $5, online = false,
         status_since = CASE WHEN online THEN $4::timestamptz ELSE status_since END
   WHERE id = $1 AND (protocol IS DISTINCT FROM $2::smallint OR last_seen_at IS NULL OR last_seen_at < $6)`;

/** Each probe's current session, its last contact, and the status that it reported. */
@Injectable()
export class ProbeSessions implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ProbeSessions.name);
  /** Contacts that haven't been written yet, by probe (UUID). */
  private heard = new Map<string, { session: string; atMs: number; said: Said }>();
  private writing = false;
  private isFailing = false;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly tokens: ProbeTokens,
  ) {}

  /**
   * Records a poll. `isOld` means that the session has polled before. Throws `session_replaced`, and the same errors as
   * `look`. Cost: no statement if the token was looked up a moment ago and only the time has changed. The time is
   * written for all probes within a second.
   */
  async hear(
    probe: ProbeCaller,
    request: PollRequest,
    isOld: boolean,
    address: string | undefined,
  ): Promise<ProbeState> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const held = this.tokens.takeState(probe) ?? (await this.read(probe));
      const nowMs = this.clock.now().getTime();
      const decision = decideSession(held, { ...request, isOld }, nowMs);
      if (decision === 'replaced') throw problems.sessionReplaced();
      const silentMs =
        decision === 'same' && isUnchanged(held, request) ? nowMs - (held.seenMs ?? -Infinity) : Infinity;
      if (silentMs < SEEN_EVERY_MS) return held;
      const said = saidBy(request, address, nowMs);
      if (silentMs < ALONE_AFTER_MS && request.wait > 0) {
        this.heard.set(probe.probeId, { session: request.session, atMs: nowMs, said });
        return held;
      }
      this.heard.delete(probe.probeId);
      if (await this.write(probe, request, held.session, said)) return { ...held, session: request.session };
    }
    throw problems.temporarilyUnavailable();
  }

  /**
   * Reads the current state of the probe. Throws `unauthenticated` if the probe or its token was deleted,
   * `probe_disabled`, and `session_replaced` if the session was replaced.
   */
  async look(probe: ProbeCaller, session: string): Promise<ProbeState> {
    const held = await this.read(probe);
    if (held.session === null) throw problems.unknownProbe();
    if (held.session !== session) throw problems.sessionReplaced();
    return held;
  }

  /** Records contact from a probe that uses an unsupported protocol version. */
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

  /** Writes the last contacts of probes with waiting polls, in one statement. */
  @Interval(WRITE_EVERY_MS)
  async writeHeard(): Promise<void> {
    if (this.writing || this.heard.size === 0) return;
    this.writing = true;
    const [all, since] = [this.heard, this.clock.now().getTime() - KEPT_MS];
    this.heard = new Map();
    try {
      const rows = [...all.values()];
      const written = await this.database.query<{ id: string }>(HEAR_ALL, [
        [...all.keys()],
        rows.map(({ session }) => session),
        ...SAID_NAMES.map((name) => rows.map(({ said }) => said[name])),
      ]);
      for (const { id } of written) all.delete(id);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(`Could not store when probes were last seen: ${String(error)}`);
      this.isFailing = true;
    } finally {
      for (const [id, one] of all) if (one.atMs > since && !this.heard.has(id)) this.heard.set(id, one);
      this.writing = false;
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.writeHeard();
  }

  private async read({ probeId }: ProbeCaller): Promise<ProbeState> {
    const [row] = await this.database.query<ProbeState & { enabled: boolean }>(READ, [probeId, this.clock.now()]);
    if (!row) throw problems.unknownProbe();
    if (!row.enabled) throw problems.probeDisabled();
    return row;
  }

  private async write(
    { probeId }: ProbeCaller,
    request: PollRequest,
    before: string | null,
    said: Said,
  ): Promise<boolean> {
    const written = await this.database.query(HEAR, [
      probeId,
      request.session,
      before,
      request.version,
      request.protocol,
      // A probe that doesn't list types is assumed to support all types.
      request.types.length > 0 ? request.types : null,
      ...SAID_NAMES.map((name) => said[name]),
    ]);
    return written.length > 0;
  }
}

/** The maximum of a smallint column. */
const MAX_PROTOCOL = 32_767;

const isUnchanged = (held: ProbeState, { protocol, version, types }: PollRequest): boolean =>
  held.online && held.protocol === protocol && held.version === version && held.types === types.join();

function saidBy(request: PollRequest, address: string | undefined, nowMs: number): Said {
  // The request took about half of the previous round trip.
  const offsetMs = request.clock + request.rtt_ms / 2 - nowMs;
  return {
    last_seen_at: new Date(nowMs),
    address: address ?? null,
    clock_offset_ms: Number.isFinite(offsetMs) ? offsetMs : null,
    rtt_ms: request.rtt_ms,
    lag_ms: Math.round(request.lag_ms),
    buffered: request.buffered,
    dropped: Math.round(request.dropped),
    skipped: Math.round(request.skipped),
  };
}
