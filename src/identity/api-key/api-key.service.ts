import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, currentAuthorship } from '../../audit/authorship';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { NIL_UUID, newUuid, parseId } from '../../platform/ids/id';
import { parseTimestamp } from '../../platform/http/validators';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { tagged, taggedLike } from '../../platform/http/precondition/entity-tags';
import { type Findings, NO_FINDINGS, refuse } from '../../platform/problem/findings';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { Quotas } from '../quota/quotas.service';
import { mayBeRevoked } from './admin-keys';
import { generateApiKey, hashApiKey, type HashedKey, isPlausibleApiKey } from './api-key-secret';
import { KeysRevoked } from './key-events';
import { authorName } from '../../platform/access/author';
import type { Caller } from '../../platform/access/caller';
import type { Role } from '../../platform/access/permissions';
import {
  type ApiKeyRow,
  type ApiKeysQuery,
  type ApiKeyView,
  type CreateApiKeyDto,
  type CreatedApiKeyView,
  keySettings,
  type MadeKeyRow,
  toApiKeyView,
} from './api-key.dto';
import { ServerSecrets } from '../../platform/secrets/server-secrets';

/** How long a key is cached. When this time is over, every instance rejects a revoked key. */
const CACHE_MS = 1000;
const CACHE_SIZE = 10_000;

const MADE_BY = `${authorName('k.created_by', 'k.created_by_id')} AS made_by`;

interface KnownKey {
  caller: Caller;
  hash: Buffer | null;
  expiresAt: Date | null;
  lastUsedMinute: number;
}

/** The holder of a key, and whether the key is still valid. An expired key is not. */
export interface KeyHolder {
  caller: Caller;
  isValid: boolean;
}

/** Creates, lists, and revokes API keys, and identifies the caller by key. */
@Injectable()
export class ApiKeyService implements OnApplicationBootstrap {
  private readonly cache = new BoundedMap<string, { at: number; known: KnownKey }>(CACHE_SIZE);
  /** Failed lookups, cached separately so that wrong keys never evict valid ones. */
  private readonly unknown = new BoundedMap<string, number>(CACHE_SIZE);

  constructor(
    private readonly database: Database,
    private readonly secrets: ServerSecrets,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
    private readonly events: TransactionEvents,
  ) {}

  /**
   * Returns the caller for a valid key, or `null` for every kind of wrong key. `admit` and `hashed` are as in
   * `holderOf`.
   */
  async authenticate(key: string, admit: () => void, hashed?: HashedKey): Promise<Caller | null> {
    return validCaller(await this.holderOf(key, admit, hashed));
  }

  /** Returns the stored form of the key, or `null` if the string can't be a key. */
  hashed(key: string): HashedKey | null {
    return isPlausibleApiKey(key) ? hashApiKey(key, this.secrets.get('api_key_pepper')) : null;
  }

  /**
   * Returns the organization (UUID) of a key that was valid when this process last checked, or `null` if it doesn't
   * know the key. Cost: no query.
   */
  knownOwner({ lookup, hash }: HashedKey): string | null {
    const known = this.cache.get(lookup)?.known;
    if (!known?.hash || !timingSafeEqual(known.hash, hash)) return null;
    return isValidAt(known, this.clock.now()) ? known.caller.orgId : null;
  }

  /** Loads the keys that were used before the process started. Cost: one pass over the keys. */
  async onApplicationBootstrap(): Promise<void> {
    const rows = await this.database.query<FoundKey>(
      `${FIND} AND k.hash IS NOT NULL ORDER BY k.last_used_at DESC NULLS LAST LIMIT ${CACHE_SIZE}`,
    );
    for (const row of rows.reverse())
      if (row.lookup !== null) this.cache.set(row.lookup, { at: -Infinity, known: knownKey(row) });
  }

  /**
   * Returns the holder of a key, expired or not, or `null` for every other kind of wrong key. Calls `admit`, which may
   * throw, before looking up a key that is new to this process. `hashed` is the hashed key if the request was already
   * recognized by it.
   */
  async holderOf(key: string, admit: () => void, hashed = this.hashed(key)): Promise<KeyHolder | null> {
    if (!hashed) return null;
    const { lookup, hash } = hashed;
    const known = await this.find(lookup, admit);
    if (!known?.hash || !timingSafeEqual(known.hash, hash)) return null;
    const now = this.clock.now();
    const isValid = isValidAt(known, now);
    if (isValid) await this.touch(known, now);
    return { caller: known.caller, isValid };
  }

  /** Returns whether the key works now. This does not count as a use. */
  async isValid(key: string): Promise<boolean> {
    const hashed = this.hashed(key);
    if (!hashed) return false;
    const known = await this.read('k.lookup', hashed.lookup);
    return !!known?.hash && timingSafeEqual(known.hash, hashed.hash) && isValidAt(known, this.clock.now());
  }

  /** Returns the caller of a session, read from the database, or `null` if its key is revoked or expired. */
  async callerOfKey(keyId: string): Promise<Caller | null> {
    return validCaller(await this.holderOfKey(keyId));
  }

  /**
   * Returns the holder of a key (UUID), expired or not, read from the database. Returns `null` if the key is revoked.
   */
  async holderOfKey(keyId: string): Promise<KeyHolder | null> {
    const known = await this.read('k.id', keyId);
    return known && { caller: known.caller, isValid: isValidAt(known, this.clock.now()) };
  }

  /**
   * Returns which of these keys (UUIDs) work now, read from the database. Cost: one statement for all keys, by primary
   * key.
   */
  async stillValid(keyIds: readonly string[]): Promise<Set<string>> {
    if (keyIds.length === 0) return new Set();
    const rows = await this.database.query<{ id: string }>(
      `SELECT k.id FROM api_key k JOIN organization o ON o.id = k.org_id
        WHERE k.id = ANY ($1::uuid[]) AND o.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`,
      [keyIds, this.clock.now()],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async list(orgId: string, { cursor, limit = MAX_PAGE_SIZE, created_by_id }: ApiKeysQuery): Promise<Page<ApiKeyView>> {
    const personId = parseId('person', created_by_id);
    const page = await this.cursors.paginate({
      orgId,
      list: `api-keys ${personId ?? ''}`,
      cursor,
      limit,
      read: (after, count) =>
        this.database.query<MadeKeyRow & { total: number }>(
          `SELECT k.*, ${MADE_BY},
                  (SELECT count(*)::int FROM api_key WHERE org_id = $1 AND ($4::uuid IS NULL OR created_by_id = $4)) AS total
             FROM api_key k
            WHERE k.org_id = $1 AND k.id > $2 AND ($4::uuid IS NULL OR k.created_by_id = $4) ORDER BY k.id LIMIT $3`,
          [orgId, after ?? NIL_UUID, count, personId],
        ),
      idOf: (row) => row.id,
      total: ([row]) => row?.total ?? 0,
    });
    return page.map(toApiKeyView);
  }

  /** Creates a key. Only this result contains the key itself. */
  async create(orgId: string, dto: CreateApiKeyDto): Promise<CreatedApiKeyView> {
    const key = generateApiKey(dto.role);
    const wanted = { name: dto.name.trim(), role: dto.role, key, expiresAt: this.expiryOf(dto) };
    const view = await this.database.transaction(async (tx) => {
      await this.quotas.claim(tx, orgId, { api_keys: 1 });
      const row = await this.store(tx, orgId, wanted);
      await recordChange(tx, { orgId, action: 'create', resource: 'api_key', id: row.id, after: keySettings(row) });
      return tagged(toApiKeyView(row), tagSource(row));
    });
    return taggedLike(view, { ...view, key });
  }

  /** Stores a given key. `create`, the operator's routes, and the bootstrap use it. */
  async store(
    sql: Sql,
    orgId: string,
    key: { name: string; role: Role; key: string; expiresAt: Date | null },
  ): Promise<MadeKeyRow> {
    const { lookup, hash } = hashApiKey(key.key, this.secrets.get('api_key_pepper'));
    const { keyName, personId } = currentAuthorship();
    const [row] = await sql.query<MadeKeyRow>(
      `INSERT INTO api_key AS k (id, org_id, name, role, lookup, hash, expires_at, created_by, created_by_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING k.*, ${MADE_BY}`,
      [newUuid(), orgId, key.name, key.role, lookup, hash, key.expiresAt, keyName, personId],
    );
    if (!row) throw new Error('the API key was not stored');
    return row;
  }

  /**
   * Generates a secret for a key (UUID) that 0.1.0 created for an invited person. Returns the secret, which is not
   * stored anywhere. A previous secret stops working, and its sessions end. Throws `unauthenticated` if the key was
   * revoked in the meantime.
   */
  async accept(keyId: string, author: Authorship): Promise<string> {
    const made = await this.database.transaction(async (tx) => {
      const [row] = await tx.query<ApiKeyRow>('SELECT * FROM api_key WHERE id = $1 FOR UPDATE', [keyId]);
      if (!row) throw problems.unauthenticated();
      const key = generateApiKey(row.role);
      const { lookup, hash } = hashApiKey(key, this.secrets.get('api_key_pepper'));
      await tx.query('UPDATE api_key SET lookup = $2, hash = $3 WHERE id = $1', [keyId, lookup, hash]);
      await tx.query('DELETE FROM session WHERE key_id = $1', [keyId]);
      const same = { key: null };
      const change = { action: 'update', resource: 'api_key', id: keyId, before: same, after: same } as const;
      await recordChange(tx, { ...change, orgId: row.org_id, hidden: ['key'], author });
      return { key, replaced: row.lookup };
    });
    if (made.replaced !== null) this.cache.delete(made.replaced);
    return made.key;
  }

  /**
   * Revokes the key, immediately in this process and within a second on other instances. Throws `conflict` for the last
   * admin key, because no one could create another one.
   */
  async remove(orgId: string, id: string): Promise<void> {
    const { lookup } = await this.database.transaction(async (tx) => {
      const [row] = await tx.query<ApiKeyRow>('SELECT * FROM api_key WHERE org_id = $1 AND id = $2', [orgId, id]);
      if (!row) throw problems.notFound();
      requireMatch(tagSource(row));
      await this.keepAnAdmin(tx, row);
      await this.events.emit(new KeysRevoked(orgId, [id]), tx);
      const deleted = await tx.query('DELETE FROM api_key WHERE id = $1 RETURNING 1', [id]);
      if (deleted.length === 0) throw problems.notFound();
      await recordChange(tx, { orgId, action: 'delete', resource: 'api_key', id, before: keySettings(row) });
      return row;
    });
    if (lookup !== null) this.cache.delete(lookup);
  }

  /**
   * Revokes the keys that a person created in an organization (UUIDs), in the caller's transaction. Throws `conflict`
   * for the last admin key.
   */
  async removeMadeBy(tx: Tx, orgId: string, personId: string): Promise<void> {
    const rows = await tx.query<ApiKeyRow>(
      'SELECT * FROM api_key WHERE org_id = $1 AND created_by_id = $2 ORDER BY id',
      [orgId, personId],
    );
    await this.events.emit(
      new KeysRevoked(
        orgId,
        rows.map(({ id }) => id),
      ),
      tx,
    );
    for (const row of rows) {
      await this.keepAnAdmin(tx, row);
      await tx.query('DELETE FROM api_key WHERE id = $1', [row.id]);
      await recordChange(tx, { orgId, action: 'delete', resource: 'api_key', id: row.id, before: keySettings(row) });
    }
    tx.afterCommit(() => rows.forEach(({ lookup }) => lookup !== null && this.cache.delete(lookup)));
  }

  /** Removes the cached keys of an organization that is being deleted. */
  forget(orgId: string): void {
    for (const [lookup, { known }] of this.cache) if (known.caller.orgId === orgId) this.cache.delete(lookup);
  }

  /**
   * Throws if the last admin key would be revoked. Locks the admin keys until the transaction ends, so that two
   * requests can't revoke the last two.
   */
  private async keepAnAdmin(tx: Tx, key: ApiKeyRow): Promise<void> {
    // A key without a secret has no holder, so it doesn't count as an administrator.
    if (key.role !== 'admin' || key.hash === null) return;
    const admins = await tx.query<ApiKeyRow>(
      `SELECT * FROM api_key WHERE org_id = $1 AND role = 'admin' AND hash IS NOT NULL ORDER BY id FOR UPDATE`,
      [key.org_id],
    );
    const others = admins.filter(({ id }) => id !== key.id);
    if (!mayBeRevoked(key, others, this.clock.now())) {
      throw problems.conflict(
        'This is the last admin key that does not expire. Create another admin key without expires_at, then delete this one.',
      );
    }
  }

  /** Returns when a key expires. Throws `validation_failed` for a time in the past. */
  expiryOf({ expires_at }: CreateApiKeyDto): Date | null {
    refuse(this.findingsIn({ expires_at }));
    return parseTimestamp(expires_at);
  }

  /** Returns the problems that `create` would report for these fields. */
  findingsIn({ expires_at }: Partial<CreateApiKeyDto>): Findings {
    const at = parseTimestamp(expires_at);
    if (at === null || at > this.clock.now()) return NO_FINDINGS;
    const message = 'expires_at must be in the future';
    return { invalid: [{ pointer: '/expires_at', code: 'out_of_range', message }], forbidden: [] };
  }

  private async find(lookup: string, admit: () => void): Promise<KnownKey | null> {
    const cached = this.cache.get(lookup);
    const now = this.clock.monotonic();
    if (cached && now - cached.at < CACHE_MS) return cached.known;
    if (!cached && now - (this.unknown.get(lookup) ?? -Infinity) < CACHE_MS) return null;
    if (!cached) admit();
    const known = await this.read('k.lookup', lookup);
    if (known) this.cache.set(lookup, { at: now, known });
    else {
      this.cache.delete(lookup);
      this.unknown.set(lookup, now);
    }
    return known;
  }

  private async read(column: 'k.lookup' | 'k.id', value: string): Promise<KnownKey | null> {
    const [row] = await this.database.query<FoundKey>(`${FIND} AND ${column} = $1`, [value]);
    return row ? knownKey(row) : null;
  }

  /** Records that the key was used. Cost: at most one write per key per minute. */
  private async touch(known: KnownKey, now: Date): Promise<void> {
    if (known.lastUsedMinute === minuteOf(now)) return;
    known.lastUsedMinute = minuteOf(now);
    await this.database.query(`UPDATE api_key SET last_used_at = date_trunc('minute', $2::timestamptz) WHERE id = $1`, [
      known.caller.keyId,
      now,
    ]);
  }
}

const FIND = `
  SELECT k.*, o.name AS org_name, o.is_default FROM api_key k JOIN organization o ON o.id = k.org_id WHERE o.deleted_at IS NULL`;

type FoundKey = ApiKeyRow & { org_name: string; is_default: boolean };

const knownKey = (row: FoundKey): KnownKey => ({
  caller: {
    orgId: row.org_id,
    orgName: row.org_name,
    isDefaultOrg: row.is_default,
    role: row.role,
    keyId: row.id,
    keyName: row.name,
    person: null,
  },
  hash: row.hash,
  expiresAt: row.expires_at,
  lastUsedMinute: minuteOf(row.last_used_at),
});

const tagSource = ({ id, name, role, expires_at }: ApiKeyRow) => ({ id, name, role, expires_at });
const isValidAt = ({ expiresAt }: KnownKey, now: Date): boolean => !expiresAt || expiresAt > now;
const validCaller = (holder: KeyHolder | null): Caller | null => (holder?.isValid ? holder.caller : null);
const minuteOf = (date: Date | null): number => (date ? Math.floor(date.getTime() / MINUTE_MS) : -1);
