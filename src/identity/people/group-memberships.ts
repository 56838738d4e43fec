import { Injectable, Logger } from '@nestjs/common';
import { recordChange, recordOperatorAct } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import { Config } from '../../platform/config/config';
import type { Sql, Tx } from '../../platform/database/database';
import { Problem } from '../../platform/problem/problem';
import { type GrantedByGroups, membershipsOf, type NamedOrganization, organizationsIn } from '../person/group-rules';
import { changesOf, type HeldMembership } from '../person/group-changes';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { Memberships, type Place } from './memberships';

/** Memberships of source `groups`, and operators by a group: what `PEOPLE_GROUPS` makes of somebody's groups. Ids are uuids. */
@Injectable()
export class GroupMemberships {
  private readonly logger = new Logger(GroupMemberships.name);

  constructor(
    private readonly people: PersonStore,
    private readonly memberships: Memberships,
    private readonly config: Config,
  ) {}

  /**
   * What these groups give now; `null` groups: unknown, then what everybody has. Rules that name nothing are in the log.
   * Cost: a scan of the organizations, once for each sign-in.
   */
  async granted(sql: Sql, groups: readonly string[] | null): Promise<GrantedByGroups> {
    const rules = this.config.peopleGroups;
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
      this.logger.warn(`PEOPLE_GROUPS: "${rule}" names no organization, or several of one name, and is skipped`);
    return granted;
  }

  /**
   * The person's memberships of source `groups` are exactly these from now on, in both directions; the others stay as they are.
   * An organization whose quota is used up is left out, and the log says so. Entries of the audit log are the author's.
   */
  async apply(tx: Tx, person: PersonRow, granted: GrantedByGroups, author: Authorship): Promise<void> {
    const held = await tx.query<HeldMembership>(
      `SELECT org_id AS "orgId", role, source FROM membership WHERE person_id = $1 ORDER BY org_id FOR UPDATE`,
      [person.id],
    );
    // In the order of their ids, as all that lock several.
    for (const { orgId, before, after } of changesOf(held, granted.roles)) {
      if (before === null) {
        if (after !== null) await this.join(tx, person.id, { orgId, role: after, source: 'groups' }, author);
        continue;
      }
      if (after === null) await this.people.leave(tx, person.id, orgId);
      else await this.people.setRole(tx, person.id, orgId, after);
      const change = { orgId, resource: 'person', id: person.id, before: { role: before }, author } as const;
      await recordChange(
        tx,
        after === null ? { ...change, action: 'delete' } : { ...change, action: 'update', after: { role: after } },
      );
    }
    await this.applyOperator(tx, person, granted.isOperator, author);
  }

  /** To be called when groups are unknown, and so nothing changes: whoever has rules for them has to know. */
  tellMissing(requestId: string | null): void {
    if (this.config.peopleGroups.length === 0) return;
    this.logger.warn(`${requestId}: there is no list of groups, so memberships by PEOPLE_GROUPS stay as they are`);
  }

  private async join(tx: Tx, personId: string, place: Place, author: Authorship): Promise<void> {
    try {
      await this.memberships.join(tx, personId, place, author);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn(`${author.requestId}: groups give a place in an organization that has none: ${error.code}`);
    }
  }

  /** Whom the first account or the command line made an operator stays one, whatever the groups say. */
  private async applyOperator(tx: Tx, { id }: PersonRow, isGranted: boolean, author: Authorship): Promise<void> {
    const [changed] = await tx.query<{ operator: boolean }>(
      `UPDATE person SET is_operator = $2, operator_by_group = $2
        WHERE id = $1 AND CASE WHEN $2 THEN NOT is_operator ELSE operator_by_group END RETURNING is_operator AS operator`,
      [id, isGranted],
    );
    if (!changed) return;
    const [before, after] = [{ operator: !changed.operator }, changed];
    await recordOperatorAct(tx, { action: 'update', resource: 'person', id, before, after, author });
  }
}
