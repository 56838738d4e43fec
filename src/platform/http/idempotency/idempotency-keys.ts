import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/database';
import { newUuid } from '../../ids/id';
import { Problem } from '../../problem/problem';
import { SecretBox } from '../../secrets/secret-box';
import type { AskedRequest } from './asked-request';
import { IdempotencyRetention } from './idempotency-retention.job';

export interface StoredResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The response body as JSON. */
  body: string;
}

interface Row extends Omit<StoredResponse, 'body'> {
  id: string;
  route: string;
  bodyDigest: Buffer;
  body: { sealed: string };
}

const LIFE = '24 hours';
/** Requests with an idempotency key finish within milliseconds. */
const RETRY_AFTER_SECONDS = 1;

/** Stores the responses to requests with an `Idempotency-Key` for 24 hours. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly secrets: SecretBox,
    private readonly retention: IdempotencyRetention,
  ) {}

  /**
   * Returns the stored response, or `null` if this is the first transaction with the key. Holds a lock that blocks
   * other transactions with the key until this one ends. Throws `idempotency_key_in_use` if another transaction holds
   * the lock, and `idempotency_key_reused` if the key belongs to a different request.
   */
  async begin(tx: Tx, { orgId, key, route, bodyDigest }: AskedRequest): Promise<StoredResponse | null> {
    // This doesn't wait, so it can't deadlock. Take the lock before reading the row, because any previous holder has
    // then committed its row.
    const [turn] = await tx.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1::bigint) AS mine', [
      lockOf(orgId, key),
    ]);
    if (!turn?.mine) throw inUse();
    const [row] = await tx.query<Row>(
      `SELECT id, route, body_digest AS "bodyDigest", status, headers, body FROM idempotency_key
        WHERE org_id = $1 AND key = $2 AND expires_at > now()`,
      [orgId, key],
    );
    if (!row) return null;
    if (row.route !== route) throw reused('another URL');
    if (!row.bodyDigest.equals(bodyDigest)) throw reused('another body');
    const { id, status, headers, body } = row;
    return { status, headers, body: this.secrets.open(body.sealed, contextOf(id)) };
  }

  /** Stores the response. Call this after `begin`, in the same transaction. Replaces an expired row. */
  async store(tx: Tx, { orgId, key, route, bodyDigest }: AskedRequest, response: StoredResponse): Promise<void> {
    const id = newUuid();
    const bytes = Buffer.byteLength(response.body);
    const sealed = this.secrets.seal(response.body, contextOf(id));
    await tx.query(
      `INSERT INTO idempotency_key (id, org_id, key, route, body_digest, status, headers, body, bytes, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '${LIFE}')
       ON CONFLICT (org_id, key) DO UPDATE
         SET id = excluded.id, route = excluded.route, body_digest = excluded.body_digest, status = excluded.status,
             headers = excluded.headers, body = excluded.body, bytes = excluded.bytes, expires_at = excluded.expires_at`,
      [
        id,
        orgId,
        key,
        route,
        bodyDigest,
        response.status,
        JSON.stringify(response.headers),
        JSON.stringify({ sealed }),
        bytes,
      ],
    );
    tx.afterCommit(() => this.retention.noteStored(orgId, bytes));
  }
}

/**
 * Returns the number of the advisory lock. All locks share one number space. The client chooses the key, so the number
 * is part of a SHA-256 hash, which a client can't make collide with another lock. The database's own hash function is
 * too weak for that.
 */
export const lockOf = (orgId: string, key: string): string =>
  createHash('sha256').update(`idempotency_key:${orgId}:${key}`).digest().readBigInt64BE().toString();

/** Removes some keys of an organization that is marked as deleted. Returns the number of removed keys. */
export async function removeSomeKeys(tx: Tx, orgId: string, limit: number): Promise<number> {
  const rows = await tx.query(
    `DELETE FROM idempotency_key WHERE id IN (SELECT id FROM idempotency_key WHERE org_id = $1 LIMIT $2) RETURNING 1`,
    [orgId, limit],
  );
  return rows.length;
}

const contextOf = (id: string): string => `idempotency_key:${id}:body`;

const inUse = () =>
  new Problem('idempotency_key_in_use', 'Send the same request again after the time in Retry-After.', [], {
    'Retry-After': String(RETRY_AFTER_SECONDS),
  });

const reused = (what: string) =>
  new Problem(
    'idempotency_key_reused',
    `A request with this Idempotency-Key and ${what} was processed in the last 24 hours. Nothing was done; choose a new key for a new request.`,
  );
