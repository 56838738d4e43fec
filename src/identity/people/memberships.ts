import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import type { Role } from '../../platform/access/permissions';
import type { Tx } from '../../platform/database/database';
import type { MembershipSource } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { Quotas } from '../quota/quotas.service';
import { OpenLinks } from './open-links';

/** The organization (UUID) that a person joins, with their role and the source of the membership. */
export interface Place {
  orgId: string;
  role: Role;
  source: MembershipSource;
}

/** A change to one membership. IDs are UUIDs. */
export interface Move {
  orgId: string;
  personId: string;
  /** The role before the change. */
  role: Role;
}

/**
 * Changes who is a member of an organization. Records each change in the audit log and ends links that no longer hold.
 */
@Injectable()
export class Memberships {
  constructor(
    private readonly people: PersonStore,
    private readonly quotas: Quotas,
    private readonly links: OpenLinks,
  ) {}

  /**
   * Makes the person (UUID) a member. Returns false if they already were. First removes a used invitation, which frees
   * its place in the quota. Throws `quota_exceeded`, and `not_found` for an organization that is being deleted.
   */
  async join(tx: Tx, personId: string, place: Place, author: Authorship): Promise<boolean> {
    const { orgId, role } = place;
    await this.quotas.claim(tx, orgId, { people: 1 });
    if (!(await this.people.join(tx, personId, place))) return false;
    await this.links.endInvitationOf(tx, orgId, personId, author);
    // Records neither the name nor the email. The name is joined when the log is read.
    await recordChange(tx, { orgId, action: 'create', resource: 'person', id: personId, after: { role }, author });
    return true;
  }

  /**
   * Changes a member's role. If the person is no longer an admin, the open links and invitations that they created end.
   */
  async setRole(tx: Tx, { orgId, personId, role }: Move, to: Role, author?: Authorship): Promise<void> {
    await this.people.setRole(tx, personId, orgId, to);
    if (to !== 'admin') await this.links.endMadeBy(tx, orgId, personId, author);
    await recordChange(tx, {
      orgId,
      action: 'update',
      resource: 'person',
      id: personId,
      before: { role },
      after: { role: to },
      ...(author && { author }),
    });
  }

  /** Ends a membership, along with the open links and invitations that the person created. */
  async leave(tx: Tx, { orgId, personId, role }: Move, author?: Authorship): Promise<void> {
    await this.links.endInvitationOf(tx, orgId, personId, author);
    await this.links.endMadeBy(tx, orgId, personId, author);
    await this.people.leave(tx, personId, orgId);
    await recordChange(tx, {
      orgId,
      action: 'delete',
      resource: 'person',
      id: personId,
      before: { role },
      ...(author && { author }),
    });
  }
}
