import { Injectable, Logger } from '@nestjs/common';
import { recordChange, recordOperatorAct } from '../../audit/audit-log';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page, type PageQuery } from '../../platform/http/page';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { tagged } from '../../platform/http/precondition/entity-tags';
import { NIL_UUID, formatId, newUuid } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { SECOND_MS } from '../../platform/time/time-units';
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
  type UpdateCurrentOrganizationDto,
  type UpdateOrganizationDto,
} from './organization.dto';
import { OrganizationDeleted } from './organization-events';
import { OrganizationPurgeJob } from './organization-purge.job';
import { changedOverrides } from '../quota/quotas';
import { Quotas } from '../quota/quotas.service';

/** Cursors in the operator's list are encrypted under this name instead of an organization. */
const OPERATOR = 'operator';
/** How long a request that deletes an organization works on removing its data. */
const PURGE_MS = 5 * SECOND_MS;

/** Manages organizations. The operator creates and removes them, and each key belongs to one. */
@Injectable()
export class OrganizationService {
  private readonly logger = new Logger(OrganizationService.name);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly cursors: Cursors,
    private readonly events: TransactionEvents,
    private readonly quotas: Quotas,
    private readonly purge: OrganizationPurgeJob,
  ) {}

  async current({ orgId, keyName, role, person }: Caller): Promise<CurrentOrganizationView> {
    const [row] = await this.database.query<OrganizationRow>('SELECT * FROM organization WHERE id = $1', [orgId]);
    if (!row) throw problems.notFound();
    const quotas = await this.quotas.usage(orgId);
    const view = {
      id: formatId('organization', orgId),
      name: row.name,
      key_name: keyName,
      person: person && { id: formatId('person', person.id), name: person.name },
      role,
      requires_second_factor: row.requires_second_factor,
      timezone: row.timezone,
      quotas,
    };
    return tagged(view, tagSource(row));
  }

  /** Updates the fields that were sent. Throws `conflict` if the change would lock out the person who makes it. */
  async updateCurrent(caller: Caller, dto: UpdateCurrentOrganizationDto): Promise<CurrentOrganizationView> {
    const { orgId } = caller;
    await this.database.transaction(async (tx) => {
      const row = await this.lock(tx, orgId);
      requireMatch(tagSource(row));
      const requires_second_factor = dto.requires_second_factor ?? row.requires_second_factor;
      if (requires_second_factor && !row.requires_second_factor) await this.requireProven(tx, caller);
      const timezone = dto.timezone ?? row.timezone;
      await tx.query('UPDATE organization SET requires_second_factor = $2, timezone = $3 WHERE id = $1', [
        orgId,
        requires_second_factor,
        timezone,
      ]);
      const before = { requires_second_factor: row.requires_second_factor, timezone: row.timezone };
      const after = { requires_second_factor, timezone };
      await recordChange(tx, { orgId, action: 'update', resource: 'organization', id: orgId, before, after });
    });
    return this.current(caller);
  }

  /** Requires a second factor in the caller's session. Keys and single sign-on sessions need none. */
  private async requireProven(tx: Tx, { person, sessionId }: Caller): Promise<void> {
    if (person === null) return;
    const proven = await tx.query(
      `SELECT FROM session WHERE hash = decode($1, 'hex') AND (second_factor OR via IN ('single_sign_on', 'proxy'))`,
      [sessionId ?? ''],
    );
    if (proven.length === 0)
      throw problems.conflict(
        'Set up your own second factor first, under My account. Otherwise you would lock yourself out.',
      );
  }

  async list({ cursor, limit = MAX_PAGE_SIZE }: PageQuery): Promise<Page<OrganizationView>> {
    const page = await this.cursors.paginate({
      orgId: OPERATOR,
      list: 'organizations',
      cursor,
      limit,
      read: (after, count) =>
        this.database.query<OrganizationRow & { total: number }>(
          `SELECT o.*, (SELECT count(*)::int FROM organization WHERE deleted_at IS NULL) AS total
             FROM organization o WHERE o.deleted_at IS NULL AND o.id > $1 ORDER BY o.id LIMIT $2`,
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
      return tagged({ ...toOrganizationView(row), api_key }, tagSource(row));
    });
  }

  /** Updates the fields that were sent. Limits apply only to new resources, and existing ones are kept. */
  update(id: string, dto: UpdateOrganizationDto): Promise<OrganizationView> {
    return this.database.transaction(async (tx) => {
      const row = await this.lock(tx, id);
      requireMatch(tagSource(row));
      const name = dto.name?.trim() ?? row.name;
      const quotas = changedOverrides(row.quotas, { ...dto.quotas });
      await tx.query('UPDATE organization SET name = $2, quotas = $3 WHERE id = $1', [
        id,
        name,
        JSON.stringify(quotas),
      ]);
      const before = { name: row.name, quotas: row.quotas };
      const change = { action: 'update', resource: 'organization', id, before, after: { name, quotas } } as const;
      await recordChange(tx, { ...change, orgId: id });
      await recordOperatorAct(tx, change);
      const changed = { ...row, name, quotas };
      return tagged(toOrganizationView(changed), tagSource(changed));
    });
  }

  /**
   * Removes the organization with everything it owns. The Default organization can't be removed, because it belongs to
   * the operator. As soon as the organization is marked as deleted, it is invisible to everyone. Its rows are deleted
   * in steps, within this call or, for a large organization, in the background.
   */
  async remove(id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const row = await this.lock(tx, id);
      requireMatch(tagSource(row));
      if (row.is_default) throw problems.conflict('The organization "Default" cannot be deleted.');
      await tx.query('UPDATE organization SET deleted_at = now() WHERE id = $1', [id]);
      await this.events.emit(new OrganizationDeleted(id), tx);
      // The organization's audit log is deleted with it.
      const before = { name: row.name };
      await recordOperatorAct(tx, { action: 'delete', resource: 'organization', id, before });
    });
    this.keys.forget(id);
    this.logger.log(`The operator deleted organization ${formatId('organization', id)}`);
    await this.purge.help(id, PURGE_MS);
  }

  /** Returns the Default organization, or `null` if the database is empty. */
  async findDefault(sql: Sql = this.database): Promise<OrganizationRow | null> {
    const [row] = await sql.query<OrganizationRow>('SELECT * FROM organization WHERE is_default');
    return row ?? null;
  }

  /** Returns the caller for AUTH=off: an admin of the Default organization. Returns `null` if the database is empty. */
  async defaultAdmin(): Promise<Caller | null> {
    const organization = await this.findDefault();
    if (!organization) return null;
    const { id: orgId, name: orgName } = organization;
    return { orgId, orgName, isDefaultOrg: true, role: 'admin', keyId: null, keyName: 'AUTH=off', person: null };
  }

  async insert(sql: Sql, name: string, isDefault: boolean): Promise<OrganizationRow> {
    const [row] = await sql.query<OrganizationRow>(
      'INSERT INTO organization (id, name, is_default) VALUES ($1, $2, $3) RETURNING *',
      [newUuid(), name, isDefault],
    );
    if (!row) throw new Error('the organization was not stored');
    return row;
  }

  private async lock(tx: Tx, id: string): Promise<OrganizationRow> {
    const [row] = await tx.query<OrganizationRow>(
      'SELECT * FROM organization WHERE id = $1 AND deleted_at IS NULL FOR UPDATE',
      [id],
    );
    if (!row) throw problems.notFound();
    return row;
  }
}

const tagSource = ({ id, name, quotas, requires_second_factor, timezone }: OrganizationRow) => ({
  id,
  name,
  quotas,
  requires_second_factor,
  timezone,
});
