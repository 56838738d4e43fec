import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { authorName } from '../../platform/access/author';
import type { Caller } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { newUuid, NIL_UUID, parseId } from '../../platform/ids/id';
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
  type InvitationsQuery,
  type OpenInvitationRow,
  type OpenInvitationView,
  toOpenInvitationView,
} from './people.dto';
import { type Maker, makerOf } from '../person/maker';
import { normalizeEmail } from '../person/person-row';

/** The inviter that is shown for invitations created on the command line. */
const COMMAND_LINE: Maker = { personId: null, keyId: null, name: 'Command line' };

const COLUMNS = `i.id, i.email, i.role, i.created_by_id AS "createdById", i.created_at AS "createdAt", i.expires_at AS "expiresAt",
  ${authorName('i.created_by', 'i.created_by_id')} AS "createdBy"`;

/** Long enough for an invitation that sits unread in an email or a chat. */
const INVITATION_MS = 7 * DAY_MS;

/**
 * Invites people to an organization. Each invited email address has one token, which is valid for seven days. The
 * service does not send the invitation.
 */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Lists the open invitations, oldest first. `created_by_id` limits the list to invitations that one person created.
   */
  async list(
    orgId: string,
    { cursor, limit = MAX_PAGE_SIZE, created_by_id }: InvitationsQuery,
  ): Promise<Page<OpenInvitationView>> {
    const now = this.clock.now();
    const personId = parseId('person', created_by_id);
    const page = await this.cursors.paginate({
      orgId,
      list: `invitations ${personId ?? ''}`,
      cursor,
      limit,
      read: (after, count) =>
        this.database.query<OpenInvitationRow>(
          `SELECT ${COLUMNS} FROM invitation i WHERE i.org_id = $1 AND i.id > $2 AND i.expires_at > $3
              AND ($5::uuid IS NULL OR i.created_by_id = $5) ORDER BY i.id LIMIT $4`,
          [orgId, after ?? NIL_UUID, now, count, personId],
        ),
      idOf: ({ id }) => id,
      total: () => this.count(orgId, now, personId),
    });
    return page.map(toOpenInvitationView);
  }

  /**
   * Creates an invitation. Only this result contains the token. A new invitation for the same email replaces the
   * previous one. Throws `conflict` for a member who joined by invitation. Members by a group may be invited. Accepting
   * then makes the membership independent of the group.
   */
  create(caller: Caller, dto: CreateInvitationDto): Promise<CreatedOpenInvitationView> {
    return this.make(caller.orgId, dto, { by: makerOf(caller) });
  }

  /**
   * Creates an invitation for the command line, which needs no permission. With `isOperator`, the person who accepts it
   * may call the operator's routes.
   */
  createOnMachine(orgId: string, dto: CreateInvitationDto, isOperator: boolean): Promise<CreatedOpenInvitationView> {
    return this.make(orgId, dto, { by: COMMAND_LINE, isOperator, isByCommandLine: true });
  }

  private make(
    orgId: string,
    dto: CreateInvitationDto,
    { by, isOperator = false, isByCommandLine = false }: { by: Maker; isOperator?: boolean; isByCommandLine?: boolean },
  ): Promise<CreatedOpenInvitationView> {
    refuse(this.findingsIn(dto));
    const email = normalizeEmail(dto.email);
    const token = newToken();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + INVITATION_MS);
    return this.database.transaction(async (tx) => {
      const [member] = await tx.query(
        `SELECT FROM membership m JOIN person p ON p.id = m.person_id
          WHERE m.org_id = $1 AND p.email = $2 AND m.source = 'invited'`,
        [orgId, email],
      );
      if (member) throw problems.conflict('This user is already a member of this organization.');
      await tx.query('DELETE FROM invitation WHERE org_id = $1 AND (email = $2 OR expires_at <= $3)', [
        orgId,
        email,
        now,
      ]);
      await this.quotas.claim(tx, orgId, { people: 1 });
      const id = newUuid();
      const [row] = await tx.query<OpenInvitationRow>(
        `INSERT INTO invitation AS i (id, org_id, email, role, is_operator, hash, created_by_id, created_by_key_id, created_by, by_command_line,
                                 created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${COLUMNS}`,
        [
          id,
          orgId,
          email,
          dto.role,
          isOperator,
          hashOf(token),
          by.personId,
          by.keyId,
          by.name,
          isByCommandLine,
          now,
          expiresAt,
        ],
      );
      if (!row) throw new Error('the invitation was not stored');
      // Records neither the email nor the token, because log entries can't be edited.
      await recordChange(tx, { orgId, action: 'create', resource: 'invitation', id, after: { role: dto.role } });
      return { ...toOpenInvitationView(row), token, url: linkOf(this.config, token) };
    });
  }

  /** Ends an invitation, so that its link no longer works. */
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

  private async count(orgId: string, now: Date, personId: string | null): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM invitation
        WHERE org_id = $1 AND expires_at > $2 AND ($3::uuid IS NULL OR created_by_id = $3)`,
      [orgId, now, personId],
    );
    return row?.count ?? 0;
  }

  /** Returns the problems that `create` would report for these fields. */
  findingsIn({ email }: Partial<CreateInvitationDto>): Findings {
    if (email === undefined || isEmail(normalizeEmail(email))) return NO_FINDINGS;
    const message = 'email must be an address such as bo@example.com';
    return { invalid: [{ pointer: '/email', code: 'invalid_format', message }], forbidden: [] };
  }
}
