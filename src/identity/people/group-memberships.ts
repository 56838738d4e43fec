import { Injectable, Logger } from '@nestjs/common';
import { recordOperatorAct } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import { Config } from '../../platform/config/config';
import type { Sql, Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { Problem } from '../../platform/problem/problem';
import { type GrantedByGroups, membershipsOf, type NamedOrganization, organizationsIn } from '../person/group-rules';
import { changesOf, type HeldMembership } from '../person/group-changes';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { Memberships, type Place } from './memberships';

/**
 * Applies `GROUP_ROLES` to a person's groups. Updates memberships with the source `groups`, and operator rights granted
 * by a group. IDs are UUIDs.
 */
@Injectable()
export class GroupMemberships {
  private readonly logger = new Logger(GroupMemberships.name);

  constructor(
    private readonly people: PersonStore,
    private readonly memberships: Memberships,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the rights that these groups grant now. Logs rules that don't match any organization. Cost: one scan of the
   * organizations per sign-in.
   */
  async granted(sql: Sql, groups: readonly string[]): Promise<GrantedByGroups> {
    const rules = this.config.groupRoles;
    const { names, ids } = organizationsIn(rules);
    const organizations =
      names.length === 0
        ? []
        : await sql.query<NamedOrganization>(
            'SELECT id, name FROM organization WHERE deleted_at IS NULL AND (name = ANY ($1::text[]) OR id = ANY ($2::uuid[]))',
            [names, ids],
          );
    const granted = membershipsOf(groups, rules, organizations);
    for (const rule of granted.skipped)
      this.logger.warn(
        `GROUP_ROLES: skipping rule "${rule}", because no organization, or more than one, has that name`,
      );
    return granted;
  }

  /**
   * Replaces the person's memberships of source `groups` with these, and records that they are confirmed (see `holds`).
   * Other memberships are not changed. If an organization's quota is used up, the organization is skipped and logged.
   * Audit log entries have this author.
   */
  async apply(tx: Tx, person: PersonRow, granted: GrantedByGroups, author: Authorship): Promise<void> {
    const held = await tx.query<HeldMembership>(
      `SELECT org_id AS "orgId", role, source FROM membership WHERE person_id = $1 ORDER BY org_id FOR UPDATE`,
      [person.id],
    );
    // Sorts by ID, like all code that locks several organizations.
    for (const { orgId, before, after } of changesOf(held, granted.roles)) {
      if (before === null) {
        if (after !== null) await this.join(tx, person.id, { orgId, role: after, source: 'groups' }, author);
        continue;
      }
      const move = { orgId, personId: person.id, role: before };
      if (after === null) await this.memberships.leave(tx, move, author);
      else await this.memberships.setRole(tx, move, after, author);
    }
    await this.applyOperator(tx, person, granted.isOperator, author);
    await tx.query('UPDATE person SET groups_confirmed_at = $2 WHERE id = $1', [person.id, this.clock.now()]);
  }

  private async join(tx: Tx, personId: string, place: Place, author: Authorship): Promise<void> {
    try {
      await this.memberships.join(tx, personId, place, author);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn(`${author.requestId}: could not add the user to an organization by group: ${error.code}`);
    }
  }

  private async applyOperator(tx: Tx, { id }: PersonRow, isGranted: boolean, author: Authorship): Promise<void> {
    const operator = await this.people.setOperatorByGroup(tx, id, isGranted);
    if (operator === null) return;
    const [before, after] = [{ operator: !operator }, { operator }];
    await recordOperatorAct(tx, { action: 'update', resource: 'person', id, before, after, author });
  }
}
