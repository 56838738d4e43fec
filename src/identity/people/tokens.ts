import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { authorName } from '../../platform/access/author';
import type { Role } from '../../platform/access/permissions';
import { Database, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { RateLimits } from '../rate-limits';
import { hashOf } from '../session/session.service';
import { SignInLinks } from '../session/sign-in-links';
import { LINK_KINDS, type LinkKind } from './account.dto';
import { makerIsAdmin } from '../person/maker';
import { PersonStore } from '../person/person-store';

/** The purpose of a valid token. IDs are UUIDs. */
export interface Token {
  kind: LinkKind;
  organization: { id: string; name: string } | null;
  role: Role | null;
  email: string | null;
  personId: string | null;
  /** The invitation's ID, or `null` for other kinds of tokens. */
  invitationId: string | null;
  invitedBy: string | null;
  /** Whether the person who uses the token becomes an operator. */
  isOperator: boolean;
  expiresAt: Date;
}

interface InvitationRow {
  id: string;
  orgId: string;
  orgName: string;
  email: string;
  role: Role;
  isOperator: boolean;
  invitedBy: string | null;
  expiresAt: Date;
}

/**
 * SQL: whether an invitation (`i`) is still valid. Its organization must exist, and its creator must still be allowed
 * to invite people.
 */
const invitationHolds = (now: string): string => `
  i.expires_at > ${now} AND EXISTS (SELECT FROM organization o WHERE o.id = i.org_id AND o.deleted_at IS NULL)
  AND ${makerIsAdmin('i', now, 'i.by_command_line')}`;

/** The only way to read link tokens: start links, sign-in links for a key or a person, and invitations. */
@Injectable()
export class Tokens {
  constructor(
    private readonly database: Database,
    private readonly links: SignInLinks,
    private readonly people: PersonStore,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Returns a valid token of one of these kinds. A token of another kind, or one that is unknown, used, or expired,
   * counts as a wrong credential. Throws `unauthenticated` or `rate_limited`.
   */
  async find(token: string, request: Request, kinds: readonly LinkKind[] = LINK_KINDS): Promise<Token> {
    this.limits.admitLookUp(request, 'other');
    const found = (await this.invitation(token)) ?? (await this.link(token));
    if (!found || !kinds.includes(found.kind)) throw this.limits.refusal(request);
    return found;
  }

  /**
   * Uses up the token if it is still valid. Validity is checked again here because it may have changed since `find`. If
   * two requests use the same token, the second one throws like `find`.
   */
  async use(tx: Tx, token: string, { invitationId, personId }: Token, request: Request): Promise<void> {
    // From here on, a change that would end one of this person's links has to wait.
    if (personId !== null) await this.people.lock(tx, personId);
    const isUsed =
      invitationId === null
        ? (await this.links.exchange(token, tx))?.isInTime === true
        : (
            await tx.query(
              `DELETE FROM invitation i WHERE i.id = $1 AND i.hash = $2 AND ${invitationHolds('$3')} RETURNING 1`,
              [invitationId, hashOf(token), this.clock.now()],
            )
          ).length > 0;
    if (!isUsed) throw this.limits.refusal(request);
  }

  private async invitation(token: string): Promise<Token | null> {
    const [row] = await this.database.query<InvitationRow>(
      `SELECT i.id, i.org_id AS "orgId", o.name AS "orgName", i.email, i.role, i.is_operator AS "isOperator",
              i.expires_at AS "expiresAt",
              ${authorName('i.created_by', 'i.created_by_id')} AS "invitedBy"
         FROM invitation i JOIN organization o ON o.id = i.org_id WHERE i.hash = $1 AND ${invitationHolds('$2')}`,
      [hashOf(token), this.clock.now()],
    );
    if (!row) return null;
    const { id: invitationId, orgId, orgName, ...rest } = row;
    return { kind: 'invitation', organization: { id: orgId, name: orgName }, personId: null, invitationId, ...rest };
  }

  private async link(token: string): Promise<Token | null> {
    const link = await this.links.find(token);
    if (!link?.isInTime) return null;
    const shared = { invitationId: null, invitedBy: null, isOperator: false, expiresAt: link.expiresAt };
    if (link.personId !== null) {
      const person = await this.people.find(this.database, link.personId);
      const kind = link.purpose === 'password' ? 'password' : 'sign_in';
      return person && { ...shared, kind, organization: null, role: null, email: person.email, personId: person.id };
    }
    const [key] = await this.database.query<{ id: string; name: string; role: Role }>(
      `SELECT o.id, o.name, k.role FROM api_key k JOIN organization o ON o.id = k.org_id AND o.deleted_at IS NULL WHERE k.id = $1`,
      [link.keyId],
    );
    if (!key) return null;
    const isFirst = link.purpose === 'first' && !(await this.people.isAnybodyThere(this.database));
    const organization = { id: key.id, name: key.name };
    return {
      ...shared,
      isOperator: isFirst,
      kind: isFirst ? 'first_account' : 'sign_in',
      organization,
      role: key.role,
      email: null,
      personId: null,
    };
  }
}
