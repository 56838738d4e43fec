import { Injectable } from '@nestjs/common';
import { PING_KINDS } from '../endpoint/heartbeat/ping-kind';
import { Partitions } from '../history/write/partitions';
import { Quotas } from '../identity/quota/quotas.service';
import { BoundedMap } from '../platform/cache/bounded-map';
import { FairSemaphore } from '../platform/capacity/fair-semaphore';
import { TokenBuckets } from '../platform/capacity/token-bucket';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { newUuid } from '../platform/ids/id';
import { failpoint } from '../platform/observability/failpoints';
import { dayNumber } from '../platform/time/time-units';
import { decidePing, type Ping } from './expectation';
import { type LockedHeartbeat, lockHeartbeats, storeHeartbeats } from './heartbeat-store';
import { HeartbeatSweep } from './heartbeat-sweep.job';
import type { PingAddress, PingTarget } from './ping-address';
import { withPending, type ToRecord, VerdictRecorder } from './verdict-recorder';

type Refusal = NonNullable<PingAddress['refusal']> | 'invalid uuid format';

/** A request that pings. */
export interface SentPing extends Omit<PingAddress, 'refusal'> {
  refusal: Refusal | null;
  runId: string | null;
  message: string | null;
  /** As it is kept: at most its first 10,000 bytes. */
  body: string | null;
  /** Of all that was sent. */
  bodyBytes: number;
  /** Where it came from. */
  from: string | null;
}

export type PingOutcome =
  | { status: 'ok' }
  | { status: 'unknown' }
  | { status: 'refused'; refusal: Refusal }
  | { status: 'limited'; waitSeconds: number };

/** Of one heartbeat. */
const PINGS = { rate: 1, burst: 10 };
/** Of bodies of one organization that are kept, bytes. */
const BODIES = { rate: 64 * 1024, burst: 16 * 1024 * 1024 };
/** Transactions at once: an organization whose jobs all ping at the same time waits for itself, and the others do not. */
const TURNS = { size: 4, share: 2, waiting: Infinity };
const TURN_MS = 10_000;
/** Heartbeats of which the organization is known before they are looked up. */
const MAX_KNOWN = 100_000;

const CONDITIONS = {
  id: 'h.ping_id = $1 OR (h.old_ping_id = $1 AND h.old_until > now())',
  token: 'h.push_token = $1 OR (h.old_push_token = $1 AND h.old_until > now())',
  key: 'w.ping_key = $1 AND e.external_key = $2 AND e.heartbeat IS NOT NULL',
} as const;

const INSERT = `
  INSERT INTO ping (endpoint_key, created_at, id, kind, run_id, duration_ms, exit_code, address, body, body_bytes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** Of what no check tells; see the migration of heartbeat events. */
const TELL_STREAM = 'SELECT stream_heartbeat($1, $2, $3, $4)';

/** Takes pings. */
@Injectable()
export class PingService {
  /** Heartbeats by address, and whose they are. The database decides whether they still are. */
  private readonly known = new BoundedMap<string, string>(MAX_KNOWN);
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

  /**
   * Whose address it is (uuid), where a ping has come to it or to another one with its ping key before; `null` costs a look-up,
   * which its caller may bound.
   */
  ownerOf(target: PingTarget): string | null {
    return this.known.get(nameOf(target)) ?? (target.by === 'key' ? this.known.get(target.pingKey) : null) ?? null;
  }

  /**
   * Stores a ping and records what it says, behind what others have decided before and not recorded yet: when this resolves
   * to `ok`, all of it is committed. Cost: one transaction of three statements (one more where the stream is told), the check
   * in the recorder's next batch, and one update that says so.
   */
  async take(sent: SentPing): Promise<PingOutcome> {
    const name = nameOf(sent.target);
    const owner = this.ownerOf(sent.target);
    const waitSeconds = owner === null ? 0 : await this.waitFor(name, owner);
    if (waitSeconds > 0) return { status: 'limited', waitSeconds };
    const leave = await this.turns.take(owner, AbortSignal.timeout(TURN_MS));
    if (!leave) return { status: 'limited', waitSeconds: 1 };
    const taken = await this.database.transaction((tx) => this.store(tx, sent)).finally(leave);
    if (taken === null) {
      this.known.delete(name);
      return { status: 'unknown' };
    }
    this.known.set(name, taken.orgId);
    if (sent.target.by === 'key') this.known.set(sent.target.pingKey, taken.orgId);
    if (sent.refusal !== null) return { status: 'refused', refusal: sent.refusal };
    await failpoint('heartbeat.committed');
    this.sweep.wake();
    await this.verdicts.record(this.database, [taken]);
    return { status: 'ok' };
  }

  /** Seconds until one more ping is taken there; 0: now. */
  private async waitFor(name: string, orgId: string): Promise<number> {
    // A heartbeat that is made by its pings is asked for twice by each of them.
    const wait = this.known.get(name) === undefined ? 0 : this.pings.take(name);
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

  /** `null` when there is no such heartbeat. The row stays locked until what the ping says is committed with it. */
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

/** Stands for the address in memory. */
const nameOf = (target: PingTarget): string => parametersOf(target).join('/');

function parametersOf(target: PingTarget): string[] {
  if (target.by === 'id') return [target.pingId];
  return target.by === 'token' ? [target.token] : [target.pingKey, target.key];
}
