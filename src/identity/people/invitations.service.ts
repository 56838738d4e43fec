import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { authorName } from '../../platform/access/author';
import type { Caller } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page, type PageQuery } from '../../platform/http/page';
import { newUuid, NIL_UUID } from '../../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse } from '../../platform/problem/findings';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { DAY_MS } from '../../platform/time/time-units';
import { Quotas } from '../quota/quotas.service';
import { hashOf, newToken } from '../session/session.service';
import { isEmail } from '../person/email';
import { linkOf } from './link-address';
import {
  type CreatedOpenInvitationView,
  type CreateInvitationDto,
  type OpenInvitationRow,
  type OpenInvitationView,
  toOpenInvitationView,
} from './people.dto';
import { normalizeEmail } from '../person/person-row';

const COLUMNS = `i.id, i.email, i.role, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
  ${authorName('i.created_by', 'i.created_by_id')} AS "createdBy"`;

/** It waits in somebody's mail or chat. */
const INVITATION_MS = 7 * DAY_MS;

/** People who may join an organization: one token for each e-mail, for seven days. Nothing is sent. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Oldest first; those whose time is over are gone. */
  async list(orgId: string, { cursor, limit = MAX_PAGE_SIZE }: PageQuery): Promise<Page<OpenInvitationView>> {
    const now = this.clock.now();
    const page = await this.cursors.paginate({
      orgId,
      list: 'invitations',
      cursor,
      limit,
      read: (after, count) =>
        this.database.query<OpenInvitationRow>(
          `SELECT ${COLUMNS} FROM invitation i WHERE i.org_id = $1 AND i.id > $2 AND i.expires_at > $3 ORDER BY i.id LIMIT $4`,
          [orgId, after ?? NIL_UUID, now, count],
        ),
      idOf: ({ id }) => id,
      total: () => this.count(orgId, now),
    });
    return page.map(toOpenInvitationView);
  }

  /**
   * The result holds the token, this one time. The same e-mail again replaces the older one. Throws `conflict` for a member.
   * `isOperator`: whoever joins by it may call the operator's routes.
   */
  create(
    { orgId, keyName, person }: Pick<Caller, 'orgId' | 'keyName' | 'person'>,
    dto: CreateInvitationDto,
    isOperator = false,
  ): Promise<CreatedOpenInvitationView> {
    refuse(this.findingsIn(dto));
    const email = normalizeEmail(dto.email);
    const token = newToken();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + INVITATION_MS);
    return this.database.transaction(async (tx) => {
      const [member] = await tx.query(
        'SELECT FROM membership m JOIN person p ON p.id = m.person_id WHERE m.org_id = $1 AND p.email = $2',
        [orgId, email],
      );
      if (member) throw problems.conflict('They are in this organization already.');
      await tx.query('DELETE FROM invitation WHERE org_id = $1 AND (email = $2 OR expires_at <= $3)', [
        orgId,
        email,
        now,
      ]);
      await this.quotas.claim(tx, orgId, { people: 1 });
      const id = newUuid();
      await tx.query(
        `INSERT INTO invitation (id, org_id, email, role, is_operator, hash, created_by_id, created_by, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          id,
          orgId,
          email,
          dto.role,
          isOperator,
          hashOf(token),
          person?.id ?? null,
          person ? null : keyName,
          now,
          expiresAt,
        ],
      );
      // Neither e-mail nor token: the log cannot be changed.
      await recordChange(tx, { orgId, action: 'create', resource: 'invitation', id, after: { role: dto.role } });
      const row = { id, email, role: dto.role, createdBy: keyName, createdAt: now, expiresAt };
      return { ...toOpenInvitationView(row), token, url: linkOf(this.config, token) };
    });
  }

  /** The link leads nowhere from now on. */
  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [row] = await tx.query<{ role: string }>(
        'DELETE FROM invitation WHERE org_id = $1 AND id = $2 RETURNING role',
        [orgId, id],
      );
      if (!row) throw problems.notFound();
      await recordChange(tx, { orgId, action: 'delete', resource: 'invitation', id, before: { role: row.role } });
    });
  }

  private async count(orgId: string, now: Date): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM invitation WHERE org_id = $1 AND expires_at > $2',
      [orgId, now],
    );
    return row?.count ?? 0;
  }

  /** What `create` would refuse in these fields. */
  findingsIn({ email }: Partial<CreateInvitationDto>): Findings {
    if (email === undefined || isEmail(normalizeEmail(email))) return NO_FINDINGS;
    const message = 'email must be an address such as bo@example.com';
    return { invalid: [{ pointer: '/email', code: 'invalid_format', message }], forbidden: [] };
  }
}
