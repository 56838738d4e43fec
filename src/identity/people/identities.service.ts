import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { type Identity, PersonStore } from '../person/person-store';
import type { SignedIn } from '../session/session.service';
import { AccountMails } from './account-mails';
import type { IdentityRow } from './account.dto';
import { ownerOf } from './held';

/** SQL: sessions that were started with an identity. */
const BY_IDENTITY = `via IN ('single_sign_on', 'proxy')`;

/** Lists and removes the identities that single sign-on and the proxy use for people. IDs are UUIDs. */
@Injectable()
export class Identities {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly mails: AccountMails,
  ) {}

  /** Returns a person's identities, oldest first. */
  of(sql: Sql, personId: string): Promise<IdentityRow[]> {
    return sql.query<IdentityRow>(
      'SELECT issuer, subject, created_at AS "createdAt" FROM identity WHERE person_id = $1 ORDER BY created_at, issuer, subject',
      [personId],
    );
  }

  /**
   * Removes one of the signed-in person's identities and ends the sessions that were started by single sign-on or the
   * proxy, except this one. Throws `not_found`, and `conflict` for the last way to sign in.
   */
  async removeOwn(held: SignedIn, identity: Identity): Promise<void> {
    const { id } = ownerOf(held);
    await this.database.transaction(async (tx) => {
      const person = await this.people.lock(tx, id);
      if (!person) throw problems.notFound();
      const identities = await this.of(tx, id);
      if (!identities.some(({ issuer, subject }) => issuer === identity.issuer && subject === identity.subject))
        throw problems.notFound();
      if (identities.length === 1 && person.password === null)
        throw problems.conflict('You could no longer sign in. Set a password first.');
      await tx.query('DELETE FROM identity WHERE issuer = $1 AND subject = $2 AND person_id = $3', [
        identity.issuer,
        identity.subject,
        id,
      ]);
      await tx.query(`DELETE FROM session WHERE person_id = $1 AND ${BY_IDENTITY} AND id IS DISTINCT FROM $2`, [
        id,
        held.id,
      ]);
      await this.mails.tell(tx, person, 'identity_removed');
      if (held.caller) await recordHidden(tx, held.caller.orgId, id, 'identities');
    });
  }

  /**
   * Removes all identities of a person, whose row must be locked, and the sessions that were started with them. Returns
   * the number of identities.
   */
  async removeAll(tx: Tx, personId: string): Promise<number> {
    const gone = await tx.query('DELETE FROM identity WHERE person_id = $1 RETURNING 1', [personId]);
    await tx.query(`DELETE FROM session WHERE person_id = $1 AND ${BY_IDENTITY}`, [personId]);
    const person = gone.length > 0 ? await this.people.find(tx, personId) : null;
    if (person) await this.mails.tell(tx, person, 'identity_removed');
    return gone.length;
  }
}

/**
 * Records that one of a person's fields changed. The value is omitted, because it is personal and log entries can't be
 * edited.
 */
export async function recordHidden(tx: Tx, orgId: string, id: string, field: string): Promise<void> {
  const hidden = { [field]: null };
  const change = { orgId, action: 'update', resource: 'person', id, before: hidden, after: hidden } as const;
  await recordChange(tx, { ...change, hidden: [field] });
}
