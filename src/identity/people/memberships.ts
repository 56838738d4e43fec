import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import type { Role } from '../../platform/access/caller';
import type { Tx } from '../../platform/database/database';
import type { MembershipSource } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { Quotas } from '../quota/quotas.service';

/** Where a person is to be a member (uuid). */
export interface Place {
  orgId: string;
  role: Role;
  source: MembershipSource;
}

/** The one way into an organization. */
@Injectable()
export class Memberships {
  constructor(
    private readonly people: PersonStore,
    private readonly quotas: Quotas,
  ) {}

  /**
   * The person (uuid) is a member from now on; false when they were before. An invitation that is used makes room first. Throws
   * `quota_exceeded`, and `not_found` for an organization that is being deleted.
   */
  async join(tx: Tx, personId: string, place: Place, author: Authorship): Promise<boolean> {
    const { orgId, role } = place;
    await this.quotas.claim(tx, orgId, { people: 1 });
    if (!(await this.people.join(tx, personId, place))) return false;
    // Neither name nor e-mail: the log joins the name.
    await recordChange(tx, { orgId, action: 'create', resource: 'person', id: personId, after: { role }, author });
    return true;
  }
}
