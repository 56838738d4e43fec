import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { authorName } from '../../platform/access/author';
import type { Role } from '../../platform/access/caller';
import { Database, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { RateLimits } from '../rate-limits';
import { hashOf } from '../session/session.service';
import { SignInLinks } from '../session/sign-in-links';
import { LINK_KINDS, type LinkKind } from './account.dto';
import { PersonStore } from '../person/person-store';

/** What a token that still works stands for. Ids are uuids. */
export interface Token {
  kind: LinkKind;
  organization: { id: string; name: string } | null;
  role: Role | null;
  email: string | null;
  personId: string | null;
  /** Of an invitation. */
  invitationId: string | null;
  invitedBy: string | null;
  /** Whoever uses it is an operator from then on. */
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

/** The one way to read the tokens of links: of the start, of a key, of a person, of an invitation. */
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
   * A token that still works, of one of these kinds. Any other, unknown, used or over, is a wrong credential: throws
   * `unauthenticated`, or `rate_limited`.
   */
  async find(token: string, request: Request, kinds: readonly LinkKind[] = LINK_KINDS): Promise<Token> {
    this.limits.admitLookUp(request);
    const found = (await this.invitation(token)) ?? (await this.link(token));
    if (!found || !kinds.includes(found.kind)) throw this.limits.refusal(request);
    return found;
  }

  /** Uses the token up: of two requests one does, the other throws as `find`. */
  async use(tx: Tx, token: string, { invitationId }: Token, request: Request): Promise<void> {
    const isUsed =
      invitationId === null
        ? (await this.links.exchange(token, tx)) !== null
        : (await tx.query('DELETE FROM invitation WHERE id = $1 RETURNING 1', [invitationId])).length > 0;
    if (!isUsed) throw this.limits.refusal(request);
  }

  private async invitation(token: string): Promise<Token | null> {
    const [row] = await this.database.query<InvitationRow>(
      `SELECT i.id, i.org_id AS "orgId", o.name AS "orgName", i.email, i.role, i.is_operator AS "isOperator",
              i.expires_at AS "expiresAt",
              ${authorName('i.created_by', 'i.created_by_id')} AS "invitedBy"
         FROM invitation i JOIN organization o ON o.id = i.org_id AND o.deleted_at IS NULL WHERE i.hash = $1`,
      [hashOf(token)],
    );
    if (!row || row.expiresAt <= this.clock.now()) return null;
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
