import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { clientAddress, networkOf } from '../../platform/access/client-network';
import { Database } from '../../platform/database/database';
import { PERSON_COLUMNS, type PersonRow } from '../person/person-row';
import { ServerSecrets } from '../../platform/secrets/server-secrets';

/** Networks of successful sign-ins that are kept of a person. */
const MOST_NETWORKS = 10;

/** From where a person has signed in lately: strangers who guess do not keep them out there. Kept as HMACs, which tell nobody an address. */
@Injectable()
export class KnownNetworks {
  constructor(
    private readonly database: Database,
    private readonly secrets: ServerSecrets,
  ) {}

  /** Who has this e-mail, and whether they have signed in from there: one statement, whoever it is. */
  async holderOf(email: string, request: Request): Promise<(PersonRow & { isKnown: boolean }) | null> {
    const [row] = await this.database.query<PersonRow & { isKnown: boolean }>(
      `SELECT ${PERSON_COLUMNS}, $2::bytea = ANY (p.networks) AS "isKnown" FROM person p WHERE p.email = $1`,
      [email, this.network(request)],
    );
    return row ?? null;
  }

  /** The person (uuid) has just signed in from there. */
  async remember(personId: string, request: Request): Promise<void> {
    await this.database.query(
      `UPDATE person SET networks = (ARRAY[$2::bytea] || array_remove(networks, $2))[1:${MOST_NETWORKS}] WHERE id = $1`,
      [personId, this.network(request)],
    );
  }

  private network(request: Request): Buffer {
    return createHmac('sha256', this.secrets.get('network'))
      .update(networkOf(clientAddress(request)))
      .digest();
  }
}
