import { createHmac } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Request } from 'express';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, type Tx } from '../../platform/database/database';
import { MOST_OF_EMAIL, PERSON_COLUMNS, type PersonRow } from '../person/person-row';
import { ownNetworkOf } from '../rate-limits';
import { ServerSecrets } from '../../platform/secrets/server-secrets';

/** The number of networks stored per person. They come from successful sign-ins. */
const MOST_NETWORKS = 10;
/** The number of networks that are kept in memory for all people together. */
const MOST_FAMILIAR = 20_000;

/** An account with the email that was used in a sign-in. */
export type Holder = PersonRow & { isKnown: boolean };

/**
 * Tracks the networks from which a person recently signed in. On these networks, strangers who guess don't lock the
 * person out. Networks are stored as HMACs, which don't reveal any address.
 */
@Injectable()
export class KnownNetworks implements OnApplicationBootstrap {
  /** Networks from which any person recently signed in. */
  private readonly familiar = new BoundedMap<string, true>(MOST_FAMILIAR);

  constructor(
    private readonly database: Database,
    private readonly secrets: ServerSecrets,
  ) {}

  /** Loads the networks of recent sign-ins. Cost: one pass over all people. */
  async onApplicationBootstrap(): Promise<void> {
    const rows = await this.database.query<{ network: Buffer }>(
      `SELECT network FROM person p, unnest(p.networks) AS network ORDER BY p.last_sign_in_at DESC NULLS LAST LIMIT ${MOST_FAMILIAR}`,
    );
    for (const { network } of rows.reverse()) this.familiar.set(network.toString('base64'), true);
  }

  /** Returns whether any person is known to have recently signed in from the request's network. */
  isFamiliar(request: Request): boolean {
    const network = this.hashOf(ownNetworkOf(request));
    return network !== null && this.familiar.has(network.toString('base64'));
  }

  /**
   * Returns the accounts with this email, and whether each one recently signed in from the request's network. Cost: one
   * statement.
   */
  holdersOf(email: string, request: Request): Promise<Holder[]> {
    return this.database.query<Holder>(
      `SELECT ${PERSON_COLUMNS}, coalesce($2::bytea = ANY (p.networks), false) AS "isKnown" FROM person p WHERE p.email = $1
        ORDER BY p.created_at, p.id LIMIT ${MOST_OF_EMAIL}`,
      [email, this.hashOf(ownNetworkOf(request))],
    );
  }

  /**
   * Records that the person (UUID) has signed in from this network. `null` means that a proxy doesn't distinguish the
   * client from others.
   */
  async remember(tx: Tx, personId: string, network: string | null): Promise<void> {
    const hash = this.hashOf(network);
    if (hash === null) return;
    await tx.query(
      `UPDATE person SET networks = (ARRAY[$2::bytea] || array_remove(networks, $2))[1:${MOST_NETWORKS}] WHERE id = $1`,
      [personId, hash],
    );
    tx.afterCommit(() => this.familiar.set(hash.toString('base64'), true));
  }

  private hashOf(network: string | null): Buffer | null {
    return network === null ? null : createHmac('sha256', this.secrets.get('network')).update(network).digest();
  }
}
