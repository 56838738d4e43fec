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
  /** JSON. */
  body: string;
}

interface Row extends Omit<StoredResponse, 'body'> {
  id: string;
  route: string;
  bodyDigest: Buffer;
  body: { sealed: string };
}

const LIFE = '24 hours';
/** Requests that honour a key take milliseconds. */
const RETRY_AFTER_SECONDS = 1;

/** What was answered to requests with an `Idempotency-Key`, for 24 hours. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly secrets: SecretBox,
    private readonly retention: IdempotencyRetention,
  ) {}

  /**
   * The stored response, or `null` when this transaction is the first with the key: no other one passes here before it ends.
   * Throws `idempotency_key_in_use` while another one is at it, `idempotency_key_reused` when the key is another request's.
   */
  async begin(tx: Tx, { orgId, key, route, bodyDigest }: AskedRequest): Promise<StoredResponse | null> {
    // It waits for nobody, so it cannot deadlock. Asked before the row: whoever held it has committed its row by then.
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

  /** To be called after `begin`, in the same transaction. Takes the place of a row that has expired. */
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
 * The number of the advisory lock. All locks share one space of numbers, so of a text that a client chooses it must be one
 * that nobody can aim at another lock: part of a SHA-256, not the database's own hash.
 */
export const lockOf = (orgId: string, key: string): string =>
  createHash('sha256').update(`idempotency_key:${orgId}:${key}`).digest().readBigInt64BE().toString();

/** Removes some keys of an organization that is marked as deleted; returns how many. */
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
