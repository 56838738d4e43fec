import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PING_KINDS } from '../endpoint/heartbeat/ping-kind';
import { Partitions } from '../history/write/partitions';
import { Quotas } from '../identity/quota/quotas.service';
import { BoundedMap } from '../platform/cache/bounded-map';
import { FairSemaphore } from '../platform/capacity/fair-semaphore';
import { TokenBuckets } from '../platform/capacity/token-bucket';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { NIL_UUID, newUuid } from '../platform/ids/id';
import { failpoint } from '../platform/observability/failpoints';
import { dayNumber } from '../platform/time/time-units';
import { decidePing, type Ping } from './expectation';
import { type LockedHeartbeat, lockHeartbeats, storeHeartbeats } from './heartbeat-store';
import { HeartbeatSweep } from './heartbeat-sweep.job';
import type { PingAddress, PingTarget } from './ping-address';
import { withPending, type ToRecord, VerdictRecorder } from './verdict-recorder';

type Refusal = NonNullable<PingAddress['refusal']> | 'invalid uuid format';

export interface SentPing extends Omit<PingAddress, 'refusal'> {
  refusal: Refusal | null;
  runId: string | null;
  message: string | null;
  reportedMs: number | null;
  /** The stored part, at most the first 10,000 bytes. */
  body: string | null;
  /** The size of the complete body. */
  bodyBytes: number;
  from: string | null;
}

export type PingOutcome =
  | { status: 'ok' }
  | { status: 'unknown' }
  | { status: 'refused'; refusal: Refusal }
  | { status: 'limited'; waitSeconds: number };

/** The rate limit of one heartbeat. */
const PINGS = { rate: 1, burst: 10 };
/** The rate limit for stored bodies of one organization, in bytes. */
const BODIES = { rate: 64 * 1024, burst: 16 * 1024 * 1024 };
/**
 * Limits concurrent transactions. If all jobs of an organization ping at the same time, they wait for each other, and
 * other organizations are not affected.
 */
const TURNS = { size: 4, share: 2, waiting: Infinity };
const TURN_MS = 10_000;
/** The number of cached heartbeat URLs. Also the page size for reading them at startup. */
const MAX_KNOWN = 200_000;
const READ_AT_ONCE = 2000;

const CONDITIONS = {
  id: 'h.ping_id = $1 OR (h.old_ping_id = $1 AND h.old_until > now())',
  token: 'h.push_token = $1 OR (h.old_push_token = $1 AND h.old_until > now())',
  key: 'w.ping_key = $1 AND e.external_key = $2 AND e.heartbeat IS NOT NULL',
} as const;

/**
 * Finds the owner of a ping URL. Cost: a lookup in two unique indexes, or in the index of keys, and in three primary
 * keys.
 */
const LOCATE = {
  id: ofHeartbeat(CONDITIONS.id),
  token: ofHeartbeat(CONDITIONS.token),
  key: `
    SELECT w.org_id AS "orgId", w.id AS "websiteId", e.id AS "endpointId"
      FROM website w JOIN organization o ON o.id = w.org_id AND o.deleted_at IS NULL
      LEFT JOIN endpoint e ON e.org_id = w.org_id AND e.website_id = w.id AND e.external_key = $2 AND e.heartbeat IS NOT NULL
     WHERE w.ping_key = $1 AND w.deleted_at IS NULL`,
} as const;

function ofHeartbeat(condition: string): string {
  return `
    SELECT e.org_id AS "orgId", e.website_id AS "websiteId", e.id AS "endpointId"
      FROM heartbeat h JOIN endpoint e ON e.id = h.endpoint_id JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
     WHERE ${condition}`;
}

/** Reads pages by primary key. */
const KNOWN = `
  SELECT h.endpoint_id AS "endpointId", h.ping_id AS "pingId", h.push_token AS token, e.org_id AS "orgId", e.website_id AS "websiteId",
         e.external_key AS key, w.ping_key AS "pingKey"
    FROM heartbeat h JOIN endpoint e ON e.id = h.endpoint_id JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
   WHERE h.endpoint_id > $1 ORDER BY h.endpoint_id LIMIT ${READ_AT_ONCE}`;

interface KnownRow {
  endpointId: string;
  pingId: string;
  token: string;
  orgId: string;
  websiteId: string;
  key: string | null;
  pingKey: string;
}

const INSERT = `
  INSERT INTO ping (endpoint_key, created_at, id, kind, run_id, duration_ms, exit_code, address, body, body_bytes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** Adds a stream event for a ping without a check. See the migration for heartbeat events. */
const TELL_STREAM = 'SELECT stream_heartbeat($1, $2, $3, $4)';

/**
 * The owner of a ping URL, as UUIDs. `endpointId` is `null` if the website's key is correct but the website has no such
 * heartbeat.
 */
export interface Located {
  orgId: string;
  websiteId: string;
  endpointId: string | null;
}

@Injectable()
export class PingService implements OnApplicationBootstrap {
  /**
   * Caches the owners of ping URLs, and of website keys without a heartbeat. The database decides whether the entries
   * are still valid.
   */
  private readonly known = new BoundedMap<string, Located>(MAX_KNOWN);
  /** Concurrent pings to the same URL share one lookup. */
  private readonly locating = new Map<string, Promise<Located | null>>();
  private readonly turns = new FairSemaphore(TURNS);
  private readonly pings: TokenBuckets;
  private readonly bodies: TokenBuckets;
  private readonly organizations = new BoundedMap<string, { limit: number; buckets: TokenBuckets }>(10_000);

  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly quotas: Quotas,
    private readonly clock: DatabaseClock,
    private readonly verdicts: VerdictRecorder,
    private readonly sweep: HeartbeatSweep,
  ) {
    const monotonic = () => clock.monotonic();
    this.pings = new TokenBuckets(PINGS.rate, PINGS.burst, monotonic, MAX_KNOWN);
    this.bodies = new TokenBuckets(BODIES.rate, BODIES.burst, monotonic);
  }

  /** Loads all ping URLs at startup. Cost: one pass over them, in the background for a large installation. */
  async onApplicationBootstrap(): Promise<void> {
    let after = NIL_UUID;
    while (this.known.size < MAX_KNOWN / 2) {
      const rows = await this.database.query<KnownRow>(KNOWN, [after]);
      for (const { orgId, websiteId, endpointId, pingId, token, key, pingKey } of rows) {
        const located = { orgId, websiteId, endpointId };
        this.known.set(pingId, located).set(token, located);
        this.known.set(pingKey, { ...located, endpointId: null });
        if (key !== null) this.known.set(nameOf({ by: 'key', pingKey, key }), located);
      }
      if (rows.length < READ_AT_ONCE) return;
      after = rows.at(-1)?.endpointId ?? NIL_UUID;
    }
  }

  /**
   * Returns the organization (UUID) of a cached ping URL or ping key, or `null` if it isn't cached. Sends no statement.
   */
  knownOwner(target: PingTarget): string | null {
    const located =
      this.known.get(nameOf(target)) ?? (target.by === 'key' ? this.known.get(target.pingKey) : undefined);
    return located?.orgId ?? null;
  }

  /**
   * Returns the owner of the ping URL, or `null` if there is none. `admit` is called before an uncached URL is looked
   * up, and may throw.
   */
  async locate(target: PingTarget, admit: () => void): Promise<Located | null> {
    const name = nameOf(target);
    const known = this.known.get(name);
    if (known) return known;
    if (this.knownOwner(target) === null) admit();
    const locating = this.locating.get(name) ?? this.lookUp(target, name);
    return locating;
  }

  /**
   * Returns the number of seconds until another ping is accepted, or 0. All URLs of a heartbeat share one budget, and
   * so do all unknown keys of a website.
   */
  async waitFor({ orgId, websiteId, endpointId }: Located): Promise<number> {
    const wait = this.pings.take(endpointId ?? websiteId);
    if (wait > 0) return wait;
    const limit = await this.quotas.limitOf(orgId, 'checks_per_second').catch(() => null);
    if (limit === null) return 0;
    const known = this.organizations.get(orgId);
    const ofOrg =
      known?.limit === limit
        ? known
        : { limit, buckets: new TokenBuckets(limit, limit * 10, () => this.clock.monotonic()) };
    this.organizations.set(orgId, ofOrg);
    return ofOrg.buckets.take(orgId);
  }

  /**
   * Stores a ping and records its result, after any earlier results that other processes decided but have not recorded
   * yet. When this resolves to `ok`, all of it is committed. Cost: one transaction of three statements (one more with a
   * stream event), the check in the recorder's next batch, and one update that marks it as recorded.
   */
  async take(sent: SentPing, orgId: string): Promise<PingOutcome> {
    const name = nameOf(sent.target);
    const leave = await this.turns.take(orgId, AbortSignal.timeout(TURN_MS));
    if (!leave) return { status: 'limited', waitSeconds: 1 };
    const taken = await this.database.transaction((tx) => this.store(tx, sent)).finally(leave);
    if (taken === null) {
      this.known.delete(name);
      return { status: 'unknown' };
    }
    if (sent.refusal !== null) return { status: 'refused', refusal: sent.refusal };
    await failpoint('heartbeat.committed');
    this.sweep.wake();
    await this.verdicts.record(this.database, [taken]);
    return { status: 'ok' };
  }

  private lookUp(target: PingTarget, name: string): Promise<Located | null> {
    const locating = this.database.query<Located>(LOCATE[target.by], parametersOf(target)).then(([located]) => {
      if (located?.endpointId) this.known.set(name, located);
      if (target.by === 'key' && located) this.known.set(target.pingKey, { ...located, endpointId: null });
      // The key was replaced.
      if (target.by === 'key' && !located) this.known.delete(target.pingKey);
      return located ?? null;
    });
    this.locating.set(name, locating);
    return locating.finally(() => this.locating.delete(name));
  }

  /** Returns `null` if there is no such heartbeat. The row is locked until the ping and its result are committed. */
  private async store(tx: Tx, sent: SentPing): Promise<ToRecord | null> {
    const [before] = await lockHeartbeats(tx, `(${CONDITIONS[sent.target.by]})`, parametersOf(sent.target));
    if (!before) return null;
    if (sent.refusal !== null) return { ...before, verdicts: [] };
    const nowMs = this.clock.now().getTime();
    const ping: Ping = { ...sent, atMs: Math.max(nowMs, (before.lastPingMs ?? 0) + 1) };
    const { state, verdicts, durationMs } = decidePing(before.state, before.schedule, ping);
    await this.insert(tx, before, sent, ping, durationMs);
    const after = withPending({ ...before, state, lastPingMs: ping.atMs }, verdicts, nowMs);
    const isDecided = verdicts.length > 0;
    await storeHeartbeats(tx, [{ before, after: isDecided ? { ...after, repeatMs: null } : after }]);
    await failpoint('heartbeat.before_commit');
    return { ...before, verdicts: isDecided ? after.pending : [] };
  }

  private async insert(
    tx: Tx,
    { endpointId, endpointKey, orgId }: LockedHeartbeat,
    sent: SentPing,
    ping: Ping,
    durationMs: number | null,
  ): Promise<void> {
    const createdAt = new Date(ping.atMs);
    await this.partitions.ensure(tx, [dayNumber(createdAt)]);
    const keptBytes = sent.body === null ? 0 : Buffer.byteLength(sent.body);
    const isKept = keptBytes > 0 && this.bodies.take(orgId, keptBytes) === 0;
    const kind = PING_KINDS.indexOf(ping.kind);
    await tx.query(INSERT, [
      endpointKey,
      createdAt,
      newUuid(ping.atMs),
      kind,
      ping.runId,
      durationMs,
      ping.exitCode,
      sent.from,
      isKept ? sent.body : null,
      sent.bodyBytes,
    ]);
    if (ping.kind === 'start' || ping.kind === 'log' || durationMs !== null)
      await tx.query(TELL_STREAM, [orgId, endpointId, kind, createdAt]);
  }
}

/** Returns the cache key for a ping URL. */
const nameOf = (target: PingTarget): string => parametersOf(target).join('/');

function parametersOf(target: PingTarget): string[] {
  if (target.by === 'id') return [target.pingId];
  return target.by === 'token' ? [target.token] : [target.pingKey, target.key];
}
