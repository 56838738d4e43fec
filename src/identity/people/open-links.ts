import { Injectable } from '@nestjs/common';
import { recordChanges } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import type { Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { KeysRevoked } from '../api-key/key-events';
import type { Maker } from '../person/maker';

interface Ended {
  id: string;
  orgId: string;
  role: string;
}

/**
 * Ends links and invitations when the conditions under which they were created change. A link is also checked when it
 * is used. Ending it removes it from the lists, and no later change can make it valid again. IDs are UUIDs.
 */
@Injectable()
export class OpenLinks {
  constructor(events: TransactionEvents) {
    events.on(KeysRevoked, (revoked, tx) => this.endMadeByKeys(tx, revoked));
  }

  /** Ends the links and invitations created by a person who is no longer an admin of the organization. */
  async endMadeBy(tx: Tx, orgId: string, personId: string, author?: Authorship): Promise<void> {
    await tx.query('DELETE FROM sign_in_link WHERE org_id = $1 AND created_by_id = $2', [orgId, personId]);
    await this.end(tx, 'org_id = $1 AND created_by_id = $2', [orgId, personId], author);
  }

  /** Transfers the open invitations of a person who leaves to another admin. */
  async handOver(tx: Tx, orgId: string, personId: string, to: Maker): Promise<void> {
    await tx.query(
      `UPDATE invitation SET created_by_id = $3, created_by_key_id = $4, created_by = $5 WHERE org_id = $1 AND created_by_id = $2`,
      [orgId, personId, to.personId, to.keyId, to.name],
    );
  }

  /** Ends the invitation for the email of a person who has joined or left, because it would let them back in. */
  async endInvitationOf(tx: Tx, orgId: string, personId: string, author?: Authorship): Promise<void> {
    await this.end(
      tx,
      'org_id = $1 AND email = (SELECT p.email FROM person p WHERE p.id = $2)',
      [orgId, personId],
      author,
    );
  }

  private async endMadeByKeys(tx: Tx, { orgId, keyIds }: KeysRevoked): Promise<void> {
    await tx.query('DELETE FROM sign_in_link WHERE org_id = $1 AND created_by_key_id = ANY ($2::uuid[])', [
      orgId,
      keyIds,
    ]);
    await this.end(tx, 'org_id = $1 AND created_by_key_id = ANY ($2::uuid[])', [orgId, keyIds]);
  }

  /** Cost: reads one organization's open invitations, whose number its quota limits. */
  private async end(tx: Tx, which: string, values: readonly unknown[], author?: Authorship): Promise<void> {
    const ended = await tx.query<Ended>(
      `DELETE FROM invitation WHERE ${which} RETURNING id, org_id AS "orgId", role`,
      values,
    );
    await recordChanges(
      tx,
      ended.map(({ id, orgId, role }) => ({
        orgId,
        action: 'delete',
        resource: 'invitation',
        id,
        before: { role },
        ...(author && { author }),
      })),
    );
  }
}
