import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import type { Role } from '../../platform/access/caller';
import type { Tx } from '../../platform/database/database';
import type { MembershipSource } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { Quotas } from '../quota/quotas.service';
import { OpenLinks } from './open-links';

/** The organization (UUID) that a person joins, with the role and the source. */
export interface Place {
  orgId: string;
  role: Role;
  source: MembershipSource;
}

/** A change of one membership. IDs are UUIDs. */
export interface Move {
  orgId: string;
  personId: string;
  /** The role before the change. */
  role: Role;
}

/**
 * Changes who is a member of an organization. Each change is recorded in the audit log, and ends the links that no
 * longer hold.
 */
@Injectable()
export class Memberships {
  constructor(
    private readonly people: PersonStore,
    private readonly quotas: Quotas,
    private readonly links: OpenLinks,
  ) {}

  /**
   * Makes the person (UUID) a member. Returns false if they were one before. A used invitation frees its place first.
   * Throws `quota_exceeded`, and `not_found` for an organization that is being deleted.
   */
  async join(tx: Tx, personId: string, place: Place, author: Authorship): Promise<boolean> {
    const { orgId, role } = place;
    await this.quotas.claim(tx, orgId, { people: 1 });
    if (!(await this.people.join(tx, personId, place))) return false;
    await this.links.endInvitationOf(tx, orgId, personId, author);
    // Records neither name nor email, because the log joins the name.
    await recordChange(tx, { orgId, action: 'create', resource: 'person', id: personId, after: { role }, author });
    return true;
  }

  /**
   * Changes the role of a member. A person who is no longer an admin loses the open links and invitations that they
   * created.
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

  /** Ends a membership, and the open links and invitations that the person created. */
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
