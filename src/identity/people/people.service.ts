import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import type { Caller } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database, type Sql } from '../../platform/database/database';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { tagged } from '../../platform/http/precondition/entity-tags';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { problems } from '../../platform/problem/problem';
import { ApiKeyService } from '../api-key/api-key.service';
import { SignInLinks } from '../session/sign-in-links';
import { LAST_ADMIN } from './last-admin';
import { linkOf } from './link-address';
import {
  type MemberRow,
  type PasswordLinkView,
  type PeopleQuery,
  type PersonView,
  toPersonView,
  type UpdatePersonDto,
} from './people.dto';
import { NO_PASSWORDS } from '../person/passwords.service';
import { PersonStore } from '../person/person-store';

// Cost: by the index of the organization's memberships; of each person two look-ups by key.
const MEMBERS = `
  SELECT p.id, p.name, p.email, m.role, m.source, p.password IS NOT NULL AS "hasPassword",
         EXISTS (SELECT FROM identity i WHERE i.person_id = p.id) AS "singleSignOn", p.is_operator AS "isOperator",
         (SELECT max(s.last_seen_at) FROM session s WHERE s.person_id = p.id AND s.org_id = m.org_id) AS "lastSeenAt",
         m.created_at AS "joinedAt"
    FROM membership m JOIN person p ON p.id = m.person_id
   WHERE m.org_id = $1`;

/** The people of an organization: listed, given a role, removed. Their accounts are their own. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly keys: ApiKeyService,
    private readonly links: SignInLinks,
    private readonly cursors: Cursors,
    private readonly config: Config,
  ) {}

  /** By when they joined. */
  async list(orgId: string, { cursor, limit = MAX_PAGE_SIZE, role }: PeopleQuery): Promise<Page<PersonView>> {
    const page = await this.cursors.paginate({
      orgId,
      list: `people ${role ?? ''}`,
      cursor,
      limit,
      read: (after, count) => {
        const [at = null, id = null] = after?.split(' ') ?? [];
        return this.database.query<MemberRow>(
          `${MEMBERS} AND ($2::text IS NULL OR m.role = $2)
            AND ($3::timestamptz IS NULL OR (m.created_at, m.person_id) > ($3, $4::uuid))
          ORDER BY m.created_at, m.person_id LIMIT $5`,
          [orgId, role ?? null, at, id, count],
        );
      },
      idOf: ({ joinedAt, id }) => `${joinedAt.toISOString()} ${id}`,
      total: () => this.people.countMembers(this.database, orgId, role),
    });
    return page.map(toPersonView);
  }

  async get(orgId: string, id: string): Promise<PersonView> {
    const row = await this.read(this.database, orgId, id);
    return tagged(toPersonView(row), tagSource(row));
  }

  /** Throws `conflict` for a role that a group decides, and for the last administrator while others are members. */
  update(orgId: string, id: string, { role }: UpdatePersonDto): Promise<PersonView> {
    return this.database.transaction(async (tx) => {
      const isLastAdmin = await this.people.isLastAdmin(tx, orgId, id);
      const row = await this.read(tx, orgId, id);
      requireMatch(tagSource(row));
      if (row.source === 'groups')
        throw problems.conflict('A group of the single sign-on decides this role: change it there.');
      if (role !== 'admin' && isLastAdmin) throw problems.conflict(capitalized(LAST_ADMIN));
      await this.people.setRole(tx, id, orgId, role);
      await recordChange(tx, {
        orgId,
        action: 'update',
        resource: 'person',
        id,
        before: { role: row.role },
        after: { role },
      });
      const changed = { ...row, role };
      return tagged(toPersonView(changed), tagSource(changed));
    });
  }

  /**
   * Ends the membership, not the account. Administrators remove anybody, everybody oneself. With `revokeKeys` the keys go that
   * they made here. Throws `not_found`, `insufficient_role`, `conflict` for the last administrator or the last admin key.
   */
  async remove(caller: Caller, id: string, revokeKeys: boolean): Promise<void> {
    const { orgId } = caller;
    if (caller.role !== 'admin' && caller.person?.id !== id) throw problems.insufficientRole('admin');
    await this.database.transaction(async (tx) => {
      const isLastAdmin = await this.people.isLastAdmin(tx, orgId, id);
      const row = await this.read(tx, orgId, id);
      requireMatch(tagSource(row));
      if (isLastAdmin) throw problems.conflict(capitalized(LAST_ADMIN));
      if (revokeKeys) await this.keys.removeMadeBy(tx, orgId, id);
      await this.people.leave(tx, id, orgId);
      await recordChange(tx, { orgId, action: 'delete', resource: 'person', id, before: { role: row.role } });
    });
  }

  /**
   * A link by which a member sets a password, for 24 hours. Throws `conflict` for whom this would open another door: an operator, or
   * a member of another organization; and with PASSWORDS=off.
   */
  passwordLink(orgId: string, id: string): Promise<PasswordLinkView> {
    return this.database.transaction(async (tx) => {
      const row = await this.read(tx, orgId, id);
      if (!this.config.passwords) throw problems.conflict(NO_PASSWORDS);
      const memberships = await this.people.membershipsOf(tx, id);
      if (row.isOperator || memberships.some((one) => one.orgId !== orgId))
        throw problems.conflict(
          'They are also in another organization, or an operator: ask whoever runs the installation.',
        );
      const { token, expiresAt } = await this.links.makeFor(tx, id, 'password');
      await recordChange(tx, {
        orgId,
        action: 'update',
        resource: 'person',
        id,
        before: { password_link: null },
        after: { password_link: null },
        hidden: ['password_link'],
      });
      return { token, url: linkOf(this.config, token), expires_at: expiresAt.toISOString() };
    });
  }

  private async read(sql: Sql, orgId: string, id: string): Promise<MemberRow> {
    const [row] = await sql.query<MemberRow>(`${MEMBERS} AND m.person_id = $2`, [orgId, id]);
    if (!row) throw problems.notFound();
    return row;
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const tagSource = ({ id, role }: MemberRow) => ({ id, role });
