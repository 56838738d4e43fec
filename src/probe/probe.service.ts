import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type Act, recordChange, recordOperatorAct } from '../audit/audit-log';
import { Quotas } from '../identity/quota/quotas.service';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { setOwner } from '../platform/database/set-owner';
import { Cursors } from '../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page } from '../platform/http/page';
import { tagged, taggedLike } from '../platform/http/precondition/entity-tags';
import { requireMatch } from '../platform/http/precondition/precondition';
import { newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse } from '../platform/problem/findings';
import { problems } from '../platform/problem/problem';
import { MASK } from '../platform/secrets/mask';
import {
  type CreatedProbeView,
  type CreateProbeDto,
  probeSettings,
  type ProbesQuery,
  type ProbeView,
  type RotatedProbeView,
  type RotateProbeDto,
  toProbeView,
  type UpdateProbeDto,
  withoutInsides,
} from './probe.dto';
import {
  findProbe,
  insertProbe,
  lockProbe,
  NOT_NAMED,
  probePage,
  type ProbeRow,
  type ProbeSettings,
  readProbe,
  saveProbe,
  usesOfProbes,
  watchersOf,
} from './probe-store';
import { type MadeToken, StoredProbeTokens } from './stored-probe-tokens';

/** Stands in for the organization in signed cursors for the operator's list. */
const OPERATOR = 'operator';

/**
 * An organization's probes, or shared probes if `orgId` is `null`. Every method throws `not_found` for probes that
 * belong to others. An organization may read shared probes.
 */
@Injectable()
export class ProbeService {
  constructor(
    private readonly database: Database,
    private readonly tokens: StoredProbeTokens,
    private readonly cursors: Cursors,
    private readonly clock: DatabaseClock,
    private readonly quotas: Quotas,
  ) {}

  /** Lists probes, oldest first. Cost: one statement for the page and one for how its probes are used. */
  async list(orgId: string | null, { cursor, limit = MAX_PAGE_SIZE, status }: ProbesQuery): Promise<Page<ProbeView>> {
    const page = await this.cursors.paginate({
      orgId: orgId ?? OPERATOR,
      list: `probes ${status ?? ''}`,
      cursor,
      limit,
      read: (after, count) => probePage(this.database, orgId, { status, after, count }),
      idOf: ({ id }) => id,
      total: ([row]) => row?.total ?? 0,
    });
    const uses = await usesOfProbes(this.database, orgId, page.items);
    return page.map((row) => shownTo(orgId, row, toProbeView(row, uses.get(row.number) ?? NOT_NAMED)));
  }

  async get(orgId: string | null, id: string): Promise<ProbeView> {
    return this.shown(this.database, orgId, await findProbe(this.database, orgId, id));
  }

  /** Creates a probe. Only this result contains the token. */
  async create(orgId: string | null, dto: CreateProbeDto): Promise<CreatedProbeView> {
    const made = this.tokens.make();
    const view = await this.database.transaction(async (tx) => {
      const row = await this.add(tx, orgId, { id: newUuid(), dto, token: made });
      return this.shown(tx, orgId, row);
    });
    return taggedLike(view, { ...view, token: made.token });
  }

  /**
   * Adds a probe in the caller's transaction. Without a token, it can't connect until `rotate`. Throws:
   * `quota_exceeded`.
   */
  async add(
    tx: Tx,
    orgId: string | null,
    { id, dto, token }: { id: string; dto: CreateProbeDto; token: MadeToken | null },
  ): Promise<ProbeRow> {
    if (orgId !== null) await this.quotas.claim(tx, orgId, { probes: 1 });
    const probe = { id, orgId, ...settingsOf(dto), at: this.clock.now() };
    const row = await insertProbe(tx, probe, token);
    await record(tx, orgId, { action: 'create', id, after: probeSettings(row) });
    return row;
  }

  /** Updates the fields that are sent. */
  update(orgId: string | null, id: string, dto: UpdateProbeDto): Promise<ProbeView> {
    return this.database.transaction(async (tx) => {
      const row = await lockProbe(tx, orgId, id);
      requireMatch(tagSource(row));
      return this.shown(tx, orgId, await this.change(tx, orgId, row, dto));
    });
  }

  /**
   * Changes a locked probe in the caller's transaction. Writes nothing if nothing changes. Throws: `validation_failed`.
   */
  async change(tx: Tx, orgId: string | null, row: ProbeRow, dto: UpdateProbeDto): Promise<ProbeRow> {
    refuse(otherKey(dto, row));
    const settings = settingsOf({
      key: row.key,
      name: dto.name ?? row.name,
      region: dto.region ?? row.region,
      enabled: dto.enabled ?? row.enabled,
      allow_private: dto.allow_private ?? row.allowPrivate,
    });
    const [before, after] = [probeSettings(row), probeSettings({ ...row, ...settings })];
    if (isDeepStrictEqual(before, after)) return row;
    await record(tx, orgId, { action: 'update', id: row.id, before, after });
    return saveProbe(tx, row.id, settings, this.clock.now());
  }

  /**
   * Deletes a probe permanently. Its token is rejected from then on. Throws: `conflict` while an endpoint uses or
   * monitors it.
   */
  remove(orgId: string | null, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const row = await lockProbe(tx, orgId, id, 'FOR UPDATE');
      requireMatch(tagSource(row));
      await this.drop(tx, orgId, row);
    });
  }

  /**
   * Deletes a probe that is locked `FOR UPDATE`, in the caller's transaction. Throws: `conflict` while an endpoint uses
   * or monitors it.
   */
  async drop(tx: Tx, orgId: string | null, row: ProbeRow): Promise<void> {
    const endpoints = (await usesOfProbes(tx, null, [row])).get(row.number)?.endpoints ?? 0;
    if (endpoints > 0) throw problems.conflict(inUse(endpoints));
    const watchers = await watchersOf(tx, row);
    if (watchers > 0) throw problems.conflict(watchedBy(watchers));
    await tx.query('DELETE FROM probe WHERE id = $1', [row.id]);
    await record(tx, orgId, { action: 'delete', id: row.id, before: probeSettings(row) });
  }

  /** Rotates the token. Only this result contains the new one. */
  rotate(orgId: string | null, id: string, { grace }: RotateProbeDto): Promise<RotatedProbeView> {
    return this.database.transaction(async (tx) => {
      await lockProbe(tx, orgId, id);
      const { token, previousUntil } = await this.tokens.rotate(tx, id, grace);
      const masked = { token: MASK };
      await record(tx, orgId, { action: 'update', id, before: masked, after: masked, hidden: ['token'] });
      return { token, previous_until: previousUntil?.toISOString() ?? null };
    });
  }

  /** Locks several probes in ID order, so that no other transaction can change or refer to them. */
  async lockSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.query('SELECT FROM probe WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE', [
      orgId,
      ids,
    ]);
  }

  /**
   * Saves the probes in a configuration document: creates `made` without tokens, and updates `changed`. An organization
   * has few probes.
   */
  async save(
    tx: Tx,
    orgId: string,
    made: readonly { id: string; dto: CreateProbeDto }[],
    changed: readonly { id: string; dto: UpdateProbeDto }[],
  ): Promise<void> {
    for (const { id, dto } of made) await this.add(tx, orgId, { id, dto, token: null });
    for (const { id, dto } of changed) await this.change(tx, orgId, await lockProbe(tx, orgId, id), dto);
  }

  /** Sets the owner. Only configuration documents call this. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'probe', orgId, ids, owner);
  }

  /** Returns the errors that `update` would find in these fields, or nothing if the probe doesn't exist. */
  async findingsIn(orgId: string, publicId: string | undefined, fields: UpdateProbeDto): Promise<Findings> {
    const id = parseId('probe', publicId);
    const row = id === null ? undefined : await readProbe(this.database, orgId, id);
    return row ? otherKey(fields, row) : NO_FINDINGS;
  }

  private async shown(sql: Sql, orgId: string | null, row: ProbeRow): Promise<ProbeView> {
    const use = (await usesOfProbes(sql, orgId, [row])).get(row.number) ?? NOT_NAMED;
    return tagged(shownTo(orgId, row, toProbeView(row, use)), tagSource(row));
  }
}

const settingsOf = ({ key, name, region, enabled, allow_private }: CreateProbeDto): ProbeSettings => ({
  key,
  name: name?.trim() ?? key,
  region: region?.trim() ?? '',
  enabled: enabled ?? true,
  allowPrivate: allow_private ?? false,
});

const tagSource = (row: ProbeRow) => ({ id: row.id, ...probeSettings(row) });

const shownTo = (orgId: string | null, row: ProbeRow, view: ProbeView): ProbeView =>
  orgId !== null && row.orgId === null ? withoutInsides(view) : view;

/** When an operator changes a shared probe, this is recorded for the installation. */
async function record(tx: Tx, orgId: string | null, act: Omit<Act, 'resource'>): Promise<void> {
  if (orgId === null) await recordOperatorAct(tx, { ...act, resource: 'probe' });
  else await recordChange(tx, { ...act, resource: 'probe', orgId });
}

function otherKey({ key }: UpdateProbeDto, row: ProbeRow): Findings {
  if (key === undefined || key === row.key) return NO_FINDINGS;
  const message = 'key cannot be changed, because endpoints and results refer to it; create another probe';
  return { invalid: [{ pointer: '/key', code: 'immutable', message }], forbidden: [] };
}

const inUse = (count: number): string =>
  `${count} ${count === 1 ? 'endpoint uses' : 'endpoints use'} the probe. Remove it from ${count === 1 ? 'its' : 'their'} \`locations\` first.`;

const watchedBy = (count: number): string =>
  `${count} ${count === 1 ? 'endpoint of type PROBE watches' : 'endpoints of type PROBE watch'} the probe. First delete ${count === 1 ? 'it' : 'them'}, or change ${count === 1 ? 'its' : 'their'} \`url\`.`;
