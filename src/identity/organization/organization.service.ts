import { Injectable, Logger } from '@nestjs/common';
import { recordChange, recordOperatorAct } from '../../audit/audit-log';
import { Database, type Sql } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page, type PageQuery } from '../../platform/http/page';
import { NIL_UUID, formatId, newUuid } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { generateApiKey } from '../api-key/api-key-secret';
import { ApiKeyService } from '../api-key/api-key.service';
import type { Caller } from '../../platform/access/caller';
import {
  type CreatedOrganizationView,
  type CreateOrganizationDto,
  type CurrentOrganizationView,
  type OrganizationRow,
  type OrganizationView,
  toOrganizationView,
} from './organization.dto';

/** Emitted inside the transaction that removes an organization, before its rows go. */
export class OrganizationDeleted {
  constructor(readonly orgId: string) {}
}

/** Cursors of the operator's list are signed with this in place of an organization. */
const OPERATOR = 'operator';

/** Organizations: created and removed by the operator; a key belongs to one. */
@Injectable()
export class OrganizationService {
  private readonly logger = new Logger(OrganizationService.name);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly cursors: Cursors,
    private readonly events: TransactionEvents,
  ) {}

  current(caller: Caller): CurrentOrganizationView {
    return {
      id: formatId('organization', caller.orgId),
      name: caller.orgName,
      key_name: caller.keyName,
      role: caller.role,
    };
  }

  async list({ cursor, limit = MAX_PAGE_SIZE }: PageQuery): Promise<Page<OrganizationView>> {
    const page = await this.cursors.paginate({
      orgId: OPERATOR,
      list: 'organizations',
      cursor,
      limit,
      read: (after, count) =>
        this.database.query<OrganizationRow & { total: number }>(
          `SELECT o.*, (SELECT count(*)::int FROM organization) AS total
             FROM organization o WHERE o.id > $1 ORDER BY o.id LIMIT $2`,
          [after ?? NIL_UUID, count],
        ),
      idOf: (row) => row.id,
      total: ([row]) => row?.total ?? 0,
    });
    return page.map(toOrganizationView);
  }

  create(dto: CreateOrganizationDto): Promise<CreatedOrganizationView> {
    return this.database.transaction(async (tx) => {
      const row = await this.insert(tx, dto.name.trim(), false);
      const key = generateApiKey('admin');
      const stored = await this.keys.store(tx, row.id, {
        name: 'First admin key',
        role: 'admin',
        key,
        expiresAt: null,
      });
      const { id: orgId, name } = row;
      const creation = { action: 'create', resource: 'organization', id: orgId, after: { name } } as const;
      await recordChange(tx, { ...creation, orgId });
      await recordOperatorAct(tx, creation);
      const first = { name: stored.name, role: stored.role, expires_at: null };
      await recordChange(tx, { orgId, action: 'create', resource: 'api_key', id: stored.id, after: first });
      const api_key = { id: formatId('apiKey', stored.id), name: stored.name, role: stored.role, key };
      return { ...toOrganizationView(row), api_key };
    });
  }

  /** Removes the organization with everything it owns, but never "Default": that is the operator's own. */
  async remove(id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [row] = await tx.query<OrganizationRow>('SELECT * FROM organization WHERE id = $1 FOR UPDATE', [id]);
      if (!row) throw problems.notFound();
      if (row.is_default) throw problems.conflict('The organization "Default" cannot be deleted.');
      await this.events.emit(new OrganizationDeleted(id), tx);
      await tx.query('DELETE FROM organization WHERE id = $1', [id]);
      // The organization's own audit log is deleted with it.
      const before = { name: row.name };
      await recordOperatorAct(tx, { action: 'delete', resource: 'organization', id, before });
    });
    this.keys.forget(id);
    this.logger.log(`the operator deleted organization ${formatId('organization', id)}`);
  }

  /** "Default", or `null` while the database is empty. */
  async findDefault(sql: Sql = this.database): Promise<OrganizationRow | null> {
    const [row] = await sql.query<OrganizationRow>('SELECT * FROM organization WHERE is_default');
    return row ?? null;
  }

  /** With AUTH=off every caller is Default's admin. `null` while the database is empty. */
  async defaultAdmin(): Promise<Caller | null> {
    const organization = await this.findDefault();
    if (!organization) return null;
    const { id: orgId, name: orgName } = organization;
    return { orgId, orgName, isDefaultOrg: true, role: 'admin', keyId: null, keyName: 'AUTH=off' };
  }

  async insert(sql: Sql, name: string, isDefault: boolean): Promise<OrganizationRow> {
    const [row] = await sql.query<OrganizationRow>(
      'INSERT INTO organization (id, name, is_default) VALUES ($1, $2, $3) RETURNING *',
      [newUuid(), name, isDefault],
    );
    if (!row) throw new Error('the organization was not stored');
    return row;
  }
}
