import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { generateProbeToken, hashApiKey, isPlausibleProbeToken } from '../identity/api-key/api-key-secret';
import type { ProbeCaller } from '../platform/access/caller';
import { type ProbeState, type ProbeTokenHolder, ProbeTokens } from '../platform/access/probe-tokens';
import { BoundedMap } from '../platform/cache/bounded-map';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { epochMs } from '../platform/database/epoch-ms';
import { ServerSecrets } from '../platform/secrets/server-secrets';
import { SECOND_MS } from '../platform/time/time-units';
import { AnyProbes } from './any-probes';

const KNOWN = 10_000;
/** How long a state is reused. A request's body may arrive long after its token. */
const STATE_MS = SECOND_MS;

interface FoundRow extends ProbeState {
  id: string;
  number: number;
  orgId: string | null;
  enabled: boolean;
  isCurrent: boolean;
  hash: Buffer;
  hasPrevious: boolean;
}

/**
 * SQL: the columns of a `ProbeState`. `now` is the number of a parameter. Cost: the row, and a lookup in the asks that
 * no probe has picked up.
 */
export const stateColumns = (now: number): string => `
         p.session, ${epochMs('p.last_seen_at')} AS "seenMs", p.numbered::float8 AS numbered, p.epoch, p.allow_private AS "allowPrivate",
         p.online, p.protocol, p.version, coalesce(array_to_string(p.types, ','), '') AS types,
         EXISTS (SELECT FROM probe_ask a WHERE a.number = p.number AND a.taken_at IS NULL AND a.expires_at > $${now}) AS "isAsked"`;

// Cost: a lookup in each of two unique indexes.
const FIND = `
  SELECT p.id, p.number, p.org_id AS "orgId", p.enabled, p.lookup = $1 AS "isCurrent",
         CASE WHEN p.lookup = $1 THEN p.hash ELSE p.previous_hash END AS hash, p.previous_lookup IS NOT NULL AS "hasPrevious",
         ${stateColumns(2)}
    FROM probe p LEFT JOIN organization o ON o.id = p.org_id
   WHERE (p.lookup = $1 OR (p.previous_lookup = $1 AND p.previous_until > $2)) AND o.deleted_at IS NULL`;

/** The stored parts of a token, and the token itself, which is shown only once. */
export interface MadeToken {
  token: string;
  lookup: string;
  hash: Buffer;
}

/** Probe tokens, stored as hashes in rows of `probe`. During a rotation, the previous token is kept as well. */
@Injectable()
export class StoredProbeTokens extends ProbeTokens implements OnApplicationBootstrap {
  /** The lookup values of valid tokens and their owners, which need no permission. */
  private readonly known = new BoundedMap<string, string>(KNOWN);
  private readonly states = new WeakMap<ProbeCaller, { state: ProbeState; readAt: number }>();

  constructor(
    private readonly database: Database,
    private readonly secrets: ServerSecrets,
    private readonly clock: DatabaseClock,
    private readonly probes: AnyProbes,
  ) {
    super();
  }

  async holderOf(token: string, admit: () => void): Promise<ProbeTokenHolder | null> {
    if (!isPlausibleProbeToken(token)) return null;
    const { lookup, hash } = this.hashed(token);
    if (!this.known.has(lookup)) admit();
    const readAt = this.clock.monotonic();
    const [found] = await this.database.query<FoundRow>(FIND, [lookup, this.clock.now()]);
    if (!found || !timingSafeEqual(found.hash, hash)) {
      this.known.delete(lookup);
      return null;
    }
    this.known.set(lookup, found.orgId ?? found.id);
    this.probes.exist = true;
    if (found.isCurrent && found.hasPrevious) await this.endPrevious(found.id, lookup);
    const { id: probeId, number, orgId } = found;
    const caller = { probeId, number, orgId };
    this.states.set(caller, { state: found, readAt });
    return { caller, isEnabled: found.enabled };
  }

  knownOwner(token: string): string | null {
    return isPlausibleProbeToken(token) ? (this.known.get(this.hashed(token).lookup) ?? null) : null;
  }

  /** Loads the tokens that were used before startup. Cost: one pass over the probes. */
  async onApplicationBootstrap(): Promise<void> {
    const rows = await this.database.query<{ lookup: string; owner: string }>(
      `SELECT lookup, coalesce(org_id, id) AS owner FROM probe WHERE lookup IS NOT NULL
        ORDER BY last_seen_at DESC NULLS LAST LIMIT ${KNOWN}`,
    );
    for (const { lookup, owner } of rows.reverse()) this.known.set(lookup, owner);
  }

  takeState(caller: ProbeCaller): ProbeState | null {
    const held = this.states.get(caller);
    this.states.delete(caller);
    return held && this.clock.monotonic() - held.readAt < STATE_MS ? held.state : null;
  }

  make(): MadeToken {
    const token = generateProbeToken();
    return { token, ...this.hashed(token) };
  }

  /**
   * Gives a locked probe (UUID) a new token. The current token works until the new one is used, but for at most
   * `graceSeconds`. `previousUntil` is `null` if no other token works. A token that was never used stops working
   * immediately, so that a user who lost it and rotates again doesn't cut off the probe. Without a grace period, the
   * session also ends, and a waiting poll is rejected immediately.
   */
  async rotate(tx: Tx, probeId: string, graceSeconds: number): Promise<{ token: string; previousUntil: Date | null }> {
    const { token, lookup, hash } = this.make();
    const now = this.clock.now();
    const until = graceSeconds === 0 ? null : new Date(now.getTime() + graceSeconds * SECOND_MS);
    const [row] = await tx.query<{ until: Date | null }>(
      `UPDATE probe SET lookup = $2, hash = $3,
              previous_lookup = CASE WHEN $4::timestamptz IS NULL THEN NULL WHEN previous_until > $5 THEN previous_lookup ELSE lookup END,
              previous_hash = CASE WHEN $4::timestamptz IS NULL THEN NULL WHEN previous_until > $5 THEN previous_hash ELSE hash END,
              previous_until = CASE WHEN lookup IS NULL THEN NULL ELSE $4::timestamptz END,
              session = CASE WHEN $4::timestamptz IS NOT NULL THEN session END
        WHERE id = $1 RETURNING previous_until AS until`,
      [probeId, lookup, hash, until, now],
    );
    return { token, previousUntil: row?.until ?? null };
  }

  private async endPrevious(probeId: string, lookup: string): Promise<void> {
    await this.database.query(
      'UPDATE probe SET previous_lookup = NULL, previous_hash = NULL, previous_until = NULL WHERE id = $1 AND lookup = $2',
      [probeId, lookup],
    );
  }

  private hashed(token: string): { lookup: string; hash: Buffer } {
    return hashApiKey(token, this.secrets.get('api_key_pepper'));
  }
}
