import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { type Change, recordChanges } from '../audit/audit-log';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { setOwner } from '../platform/database/set-owner';
import { TransactionEvents } from '../platform/events/transaction-events';
import type { Page } from '../platform/http/page';
import { requireMatch } from '../platform/http/precondition/precondition';
import { formatId, newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse, together } from '../platform/problem/findings';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { DAY_MS, HOUR_MS } from '../platform/time/time-units';
import { Turns } from '../platform/time/turns';
import { LOCAL_NAME } from '../probe/probe-directory';
import type { Website } from '../website/website.entity';
import { WebsiteService } from '../website/website.service';
import { keepDeleted, type Removed, RESTORABLE_DAYS } from './bin/deleted-endpoint-rows';
import { CHECKED_SETTINGS } from './check-definitions';
import {
  EndpointsCreating,
  EndpointsKeeping,
  EndpointsStopped,
  HeartbeatsChanged,
  StatusEnded,
  SuppressionEnded,
} from './endpoint-events';
import { EndpointSchedule, type Scheduled } from './endpoint-schedule';
import { readLocationNames } from './locations/by-location';
import { FORGET_LOCATIONS, resumeLocations } from './locations/location-rows';
import { checksPerSecond, DEFAULT_LOCATIONS, isLocated, namedLocations } from './locations/locations';
import { type Circumstances, EndpointSettingsResolver } from './settings/endpoint-settings';
import {
  type CreateEndpointDto,
  type EndpointQuery,
  type EndpointView,
  MASKED_SETTINGS,
  type NewEndpointQuery,
  toAuditView,
  type UpdateEndpointDto,
} from './endpoint.dto';
import { Endpoint, type EndpointSettings, settingsOf, tagSource, type WithLocations } from './endpoint.entity';
import { changeAddress } from './heartbeat/heartbeat-addresses';
import type { SentAddress } from './heartbeat/heartbeat.dto';
import { EndpointRepository, type NewEndpoint, type SavedEndpoint } from './endpoint.repository';
import { OUTCOME_CODE } from './outcome-code';
import {
  addParents,
  cycleFindings,
  holdParents,
  lockGraph,
  parentIds,
  parentsOf,
  parentsOfSome,
  savedCycleFindings,
  saveParents,
  selfFindings,
} from './suppression/dependencies';

/** Manages an organization's endpoints: what is checked, how often, and how responses are judged. */
@Injectable()
export class EndpointService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly settings: EndpointSettingsResolver,
    private readonly schedule: EndpointSchedule,
    private readonly repository: EndpointRepository,
    private readonly events: TransactionEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a page of the website's endpoints. Cost: the statements for the page, plus one that counts the endpoints
   * and rejects another organization's website.
   */
  async list(caller: Caller, websiteId: string, query: EndpointQuery): Promise<Page<EndpointView>> {
    const total = await this.websites.endpointsOf(caller.orgId, websiteId);
    return this.repository.list(caller, websiteId, query, total);
  }

  get(caller: Caller, id: string): Promise<EndpointView> {
    return this.repository.view(this.database, caller, id);
  }

  /** Creates an endpoint. It is due immediately, then on its grid. */
  async create(
    caller: Caller,
    websiteId: string,
    dto: CreateEndpointDto,
    query: NewEndpointQuery = {},
  ): Promise<EndpointView> {
    const id = newUuid();
    const probes = await this.settings.probesIn(this.database, caller.orgId, [namedLocations(dto)]);
    const { settings, address, findings } = this.settings.examine(id, dto, { stored: null, caller, probes });
    refuse(together([findings, otherWebsite(dto, formatId('website', websiteId))]));
    const dependsOn = parentIds(dto.depends_on ?? []);
    await this.database.transaction(async (tx) => {
      const website = await this.websites.lock(tx, caller.orgId, websiteId);
      const creating = await this.announce(tx, caller.orgId, query);
      await holdParents(tx, caller.orgId, dependsOn);
      const armed = query.armed === 'true';
      await this.add(tx, website, [{ id, settings, dependsOn, address, armed }], creating);
    });
    return this.get(caller, id);
  }

  /**
   * Announces that the transaction will create endpoints. Call it while the transaction has locked nothing but
   * websites. Returns `null` if the client wants no alerts.
   */
  async announce(tx: Tx, orgId: string, { alerts }: NewEndpointQuery): Promise<EndpointsCreating | null> {
    if (alerts === 'none') return null;
    const creating = new EndpointsCreating(orgId);
    await this.events.emit(creating, tx);
    return creating;
  }

  /**
   * Adds new endpoints to a locked website. They are due immediately. Their parents must be locked. `creating` is the
   * result of `announce`. With `linked: false`, the parents don't exist yet, and the caller links them later. A
   * thousand endpoints take as many statements as one. Throws: `quota_exceeded`.
   */
  async add(
    tx: Tx,
    website: Website,
    endpoints: readonly NewEndpoint[],
    creating: EndpointsCreating | null,
    { linked = true }: { linked?: boolean } = {},
  ): Promise<void> {
    const { id: websiteId, orgId } = website;
    await this.repository.insert(tx, website, endpoints);
    if (linked) await addParents(tx, endpoints);
    const scheduled = endpoints.map(({ id, settings }) => {
      const active = settings.enabled && website.enabled;
      return {
        endpointId: id,
        orgId,
        ...settings,
        active,
        scheduled: this.settings.isScheduled(settings),
        revision: 1,
      };
    });
    await this.schedule.add(tx, scheduled);
    const changes = endpoints.map(({ id, settings, dependsOn }) => {
      const after = toAuditView(websiteId, settings, dependsOn);
      return { ...about(orgId, id), action: 'create' as const, after };
    });
    await recordChanges(tx, changes);
    const armed = endpoints.filter((endpoint) => endpoint.armed).map(({ id }) => id);
    if (armed.length > 0) await this.events.emit(new HeartbeatsChanged(armed), tx);
    await creating?.created(endpoints.map(({ id }) => id));
  }

  /** Returns the problems for which `create` would refuse these fields. */
  async findingsInNew(
    caller: Caller,
    websiteId: string | undefined,
    fields: Partial<CreateEndpointDto>,
  ): Promise<Findings> {
    const probes = await this.settings.probesIn(this.database, caller.orgId, [namedLocations(fields)]);
    const found = this.settings.findingsIn(newUuid(), fields, { stored: null, caller, probes });
    return together([found, otherWebsite(fields, websiteId)]);
  }

  /**
   * Returns the problems for which `update` would refuse these fields. Returns no problems if the endpoint doesn't
   * exist.
   */
  async findingsIn(caller: Caller, publicId: string | undefined, fields: UpdateEndpointDto): Promise<Findings> {
    const { orgId } = caller;
    const id = parseId('endpoint', publicId);
    const found = id && (await this.database.manager.findOneBy(Endpoint, { orgId, id }));
    if (!found) return NO_FINDINGS;
    const stored = settingsOf(await this.withLocations(this.database, found));
    const probes = await this.settings.probesIn(this.database, orgId, [namedAfter(stored, fields)]);
    return together([
      this.settings.findingsIn(found.id, fields, { stored, caller, probes }),
      selfFindings(found.id, fields.depends_on),
    ]);
  }

  /**
   * Updates some settings. If the definition of the check changes, the endpoint is due immediately. If `type` or `url`
   * changes, a new streak starts. If the website changes, the endpoint moves with all its data.
   */
  update(caller: Caller, id: string, dto: UpdateEndpointDto): Promise<EndpointView> {
    const { orgId } = caller;
    const sentParents = dto.depends_on && parentIds(dto.depends_on);
    return this.database.transaction(async (tx) => {
      if (sentParents && sentParents.length > 0) await lockGraph(tx, orgId);
      const move = await this.lockForMove(tx, orgId, id, dto);
      const stored = await this.stored(tx, await this.lockWithParents(tx, orgId, id, sentParents));
      requireMatch(tagSource(stored.endpoint, stored.dependsOn));
      refuseOvertakenMove(stored.endpoint, dto, move);
      const cycles = await cycleFindings(tx, id, sentParents ?? []);
      await this.change(tx, caller, [{ ...stored, dto, move, cycles }]);
      return this.repository.view(tx, caller, id);
    });
  }

  /**
   * Updates several endpoints that `lockSome` has locked and that don't change their website. If any of them will
   * depend on an endpoint, the caller must have called `lockDependencies`. Cost: about a dozen statements for a
   * thousand endpoints.
   */
  async changeSome(tx: Tx, caller: Caller, sent: readonly { id: string; dto: UpdateEndpointDto }[]): Promise<void> {
    if (sent.length === 0) return;
    const found = await this.storedSome(
      tx,
      caller.orgId,
      sent.map(({ id }) => id),
    );
    const stored = new Map(found.map((one) => [one.endpoint.id, one]));
    const changes = sent.map(({ id, dto }) => {
      const one = stored.get(id);
      if (!one) throw problems.notFound();
      return { ...one, dto, move: null, cycles: NO_FINDINGS };
    });
    await this.change(tx, caller, changes);
  }

  /** Changes locked endpoints. Cost: as many statements for a thousand endpoints as for one. */
  private async change(tx: Tx, caller: Caller, sent: readonly SentChange[]): Promise<void> {
    const { orgId } = caller;
    const running = await this.websites.enabledOf(tx, [...new Set(sent.map(websiteAfter))]);
    const named = sent.map(({ endpoint, dto }) => namedAfter(endpoint, dto));
    const probes = await this.settings.probesIn(tx, orgId, named);
    const changed = await new Turns().map(sent, (one) =>
      this.changedOf(one, { caller, probes }, running.has(websiteAfter(one))),
    );
    await this.relink(tx, orgId, changed);
    const moreChecks = changed.reduce((sum, one) => sum + one.moreChecks, 0);
    await this.repository.save(
      tx,
      orgId,
      changed.map(({ row }) => row),
      moreChecks,
    );
    for (const { row, address } of changed) await changeAddress(tx, row.id, address);
    await this.startNewStreak(tx, idsOf(changed.filter(({ hasNewTarget }) => hasNewTarget)));
    await this.schedule.change(
      tx,
      changed.map(({ scheduled }) => scheduled),
    );
    const resumed = changed.filter(({ isResumed, scheduled }) => isResumed && isLocated(scheduled.locations));
    if (resumed.length > 0) await resumeLocations(tx, 'endpoint_id', idsOf(resumed));
    const awaited = idsOf(changed.filter(({ isAwaitedAgain }) => isAwaitedAgain));
    if (awaited.length > 0) await this.events.emit(new HeartbeatsChanged(awaited), tx);
    const freed = idsOf(changed.filter((one) => one.isFreed));
    if (freed.length > 0) await this.events.emit(new SuppressionEnded({ endpointIds: freed }), tx);
    const stopped = idsOf(changed.filter(({ isStopped }) => isStopped));
    if (stopped.length > 0) {
      await this.endStatus(tx, stopped);
      await this.events.emit(new EndpointsStopped(orgId, stopped, 'disabled'), tx);
    }
    await recordChanges(
      tx,
      changed.map(({ entry }) => entry),
    );
  }

  remove(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const stored = await this.stored(tx, await this.lock(tx, orgId, id));
      requireMatch(tagSource(stored.endpoint, stored.dependsOn));
      await this.delete(tx, orgId, [stored]);
    });
  }

  /** Removes several endpoints in a few statements. Ignores IDs that don't exist. */
  async removeSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.lockSome(tx, orgId, ids, []);
    await this.delete(tx, orgId, await this.storedSome(tx, orgId, ids));
  }

  private async delete(tx: Tx, orgId: string, stored: readonly StoredEndpoint[]): Promise<void> {
    const removed = stored.map(({ endpoint, dependsOn }) => ({
      ...endpoint,
      settings: settingsOf(endpoint),
      dependsOn,
    }));
    const changes = removed.map(({ id, websiteId, settings, dependsOn }) => {
      const before = toAuditView(websiteId, settings, dependsOn);
      return { ...about(orgId, id), action: 'delete' as const, before };
    });
    await this.keepAndStop(tx, orgId, removed);
    await tx.query('DELETE FROM endpoint WHERE id = ANY ($1::uuid[])', [removed.map(({ id }) => id)]);
    await recordChanges(tx, changes);
  }

  /**
   * Keeps endpoints that are about to be deleted, so that they can be restored, and ends their episodes and outages. Cost:
   * five statements, regardless of the number of endpoints, plus the statements of `EndpointsStopped`.
   */
  private async keepAndStop(tx: Tx, orgId: string, removed: readonly Removed[]): Promise<void> {
    const ids = removed.map(({ id }) => id);
    const keeping = new EndpointsKeeping(ids);
    await this.events.emit(keeping, tx);
    const now = this.clock.now();
    await keepDeleted(tx, orgId, removed, keeping.parts, now);
    await this.events.emit(new StatusEnded(ids), tx);
    const keptUntil = new Date(now.getTime() + RESTORABLE_DAYS * DAY_MS + HOUR_MS);
    await this.events.emit(new EndpointsStopped(orgId, ids, 'deleted', keptUntil), tx);
  }

  /** Sets the owner. Only configuration documents call this. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'endpoint', orgId, ids, owner);
  }

  /**
   * Locks the endpoint so that it cannot be deleted until the transaction ends. Throws: `not_found` if it isn't in this
   * organization.
   */
  async hold(tx: Tx, orgId: string, id: string): Promise<{ type: string }> {
    const [row] = await tx.query<{ type: string }>(
      'SELECT type FROM endpoint WHERE org_id = $1 AND id = $2 FOR KEY SHARE',
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    return row;
  }

  /** Returns the endpoint's internal history key. Throws: `not_found` if it isn't in this organization. */
  async require(orgId: string, id: string, sql: Sql = this.database): Promise<{ key: string }> {
    const [row] = await sql.query<{ key: string }>(
      'SELECT key::text AS key FROM endpoint WHERE org_id = $1 AND id = $2',
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    return row;
  }

  /** Enables the website's endpoints in the transaction that enables the website. */
  async startOfWebsite(tx: Tx, websiteId: string): Promise<void> {
    await this.schedule.switchWebsite(tx, websiteId, true);
    await resumeLocations(tx, 'website_id', [websiteId]);
    await this.awaitAgain(tx, websiteId);
  }

  /**
   * Disables the website's endpoints in the transaction that disables the website. Locks their state rows in ID order,
   * like the recorder.
   */
  async stopOfWebsite(tx: Tx, orgId: string, websiteId: string): Promise<void> {
    const rows = await tx.query<{ id: string; enabled: boolean }>(
      `SELECT s.endpoint_id AS id, e.enabled FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id
        WHERE e.website_id = $1 ORDER BY s.endpoint_id FOR UPDATE OF s`,
      [websiteId],
    );
    await this.schedule.switchWebsite(tx, websiteId, false);
    if (rows.length === 0) return;
    await this.endStatus(
      tx,
      rows.filter(({ enabled }) => enabled).map(({ id }) => id),
    );
    const ids = rows.map(({ id }) => id);
    await this.awaitAgain(tx, websiteId);
    await this.events.emit(new EndpointsStopped(orgId, ids, 'disabled'), tx);
  }

  /** Cost: one index lookup per endpoint of the website. */
  private async awaitAgain(tx: Tx, websiteId: string): Promise<void> {
    const rows = await tx.query<{ id: string }>(
      'SELECT e.id FROM endpoint e JOIN heartbeat h ON h.endpoint_id = e.id WHERE e.website_id = $1 ORDER BY e.id',
      [websiteId],
    );
    if (rows.length > 0) await this.events.emit(new HeartbeatsChanged(rows.map(({ id }) => id)), tx);
  }

  /**
   * Locks both websites of a move before anything that belongs to the endpoint, in the same order as every change of a
   * website. Locking them in ID order keeps opposite moves from deadlocking. Returns `null` if the endpoint doesn't
   * change its website.
   */
  private async lockForMove(tx: Tx, orgId: string, id: string, dto: UpdateEndpointDto): Promise<Move | null> {
    const toId = parseId('website', dto.website_id);
    if (toId === null) return null;
    const [row] = await tx.query<{ fromId: string }>(
      'SELECT website_id AS "fromId" FROM endpoint WHERE org_id = $1 AND id = $2',
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    if (row.fromId === toId) return null;
    const websites = await this.websites.lockSome(tx, orgId, [row.fromId, toId]);
    const [from, to] = [row.fromId, toId].map((wanted) => websites.find((website) => website.id === wanted));
    if (!from) throw problems.notFound();
    if (!to)
      throw problems.referenceNotFound('/website_id', 'the website does not exist, or belongs to another organization');
    return { from, to };
  }

  /**
   * Locks several endpoints, their states, and their future parents, each in ID order. `update` and `remove` do the
   * same for one endpoint. Cost: three statements.
   */
  async lockSome(tx: Tx, orgId: string, ids: readonly string[], parents: readonly string[]): Promise<void> {
    await tx.query(
      'SELECT FROM endpoint_state WHERE org_id = $1 AND endpoint_id = ANY ($2::uuid[]) ORDER BY endpoint_id FOR UPDATE',
      [orgId, ids],
    );
    await tx.query('SELECT FROM endpoint WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE', [
      orgId,
      ids,
    ]);
    await tx.query('SELECT FROM endpoint WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR KEY SHARE', [
      orgId,
      parents,
    ]);
  }

  /** Links new endpoints to their parents after a call of `add` with `linked: false`. */
  link(tx: Tx, endpoints: readonly NewEndpoint[]): Promise<void> {
    return addParents(tx, endpoints);
  }

  /** Serializes concurrent dependency changes. A transaction must take this lock first. */
  lockDependencies(tx: Tx, orgId: string): Promise<void> {
    return lockGraph(tx, orgId);
  }

  /** Cost: a range scan of a primary key, nearly always empty. */
  private async withLocations(sql: Sql, endpoint: Endpoint): Promise<Endpoint & WithLocations> {
    const locations = (await readLocationNames(sql, [endpoint.id])).get(endpoint.id) ?? DEFAULT_LOCATIONS;
    return { ...endpoint, locations };
  }

  private async stored(tx: Tx, endpoint: Endpoint): Promise<StoredEndpoint> {
    return { endpoint: await this.withLocations(tx, endpoint), dependsOn: await parentsOf(tx, endpoint.id) };
  }

  /** Returns the endpoints that exist, in ID order. Cost: three statements. */
  private async storedSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<StoredEndpoint[]> {
    const found = await tx.manager.find(Endpoint, { where: { orgId, id: In([...ids]) }, order: { id: 'ASC' } });
    const parents = await parentsOfSome(tx, ids);
    const locations = await readLocationNames(tx, ids);
    return found.map((endpoint) => ({
      endpoint: { ...endpoint, locations: locations.get(endpoint.id) ?? DEFAULT_LOCATIONS },
      dependsOn: parents.get(endpoint.id) ?? [],
    }));
  }

  /** Locks the state row first, like the recorder. The same order everywhere keeps the two from deadlocking. */
  private async lock(tx: Tx, orgId: string, id: string): Promise<Endpoint> {
    await tx.query('SELECT 1 FROM endpoint_state WHERE endpoint_id = $1 AND org_id = $2 FOR UPDATE', [id, orgId]);
    const endpoint = await tx.manager.findOne(Endpoint, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
    if (!endpoint) throw problems.notFound();
    return endpoint;
  }

  /** Locks an endpoint and its future parents, all in ID order, like the purge. */
  private async lockWithParents(
    tx: Tx,
    orgId: string,
    id: string,
    parents: readonly string[] | undefined,
  ): Promise<Endpoint> {
    if (!parents) return this.lock(tx, orgId, id);
    // If the endpoint doesn't exist, no other problem matters.
    await this.require(orgId, id, tx);
    const before = parents.filter((parent) => parent < id);
    const behind = parents.filter((parent) => parent > id);
    await holdParents(tx, orgId, before);
    const endpoint = await this.lock(tx, orgId, id);
    await holdParents(tx, orgId, behind);
    return endpoint;
  }

  private changedOf(
    { endpoint, dependsOn: before, dto, move, cycles }: SentChange,
    by: Omit<Circumstances, 'stored'>,
    isWebsiteOn: boolean,
  ): ChangedEndpoint {
    const { id, orgId } = endpoint;
    const stored = settingsOf(endpoint);
    const { settings, address, findings } = this.settings.examine(id, dto, { ...by, stored });
    refuse(together([findings, cycles]));
    const isChanged = (key: keyof EndpointSettings) => !isDeepStrictEqual(settings[key], stored[key]);
    const hasNewCheck = CHECKED_SETTINGS.some(isChanged);
    const revision = endpoint.revision + (hasNewCheck ? 1 : 0);
    const dependsOn = dto.depends_on ? parentIds(dto.depends_on) : before;
    const websiteId = move?.to.id ?? endpoint.websiteId;
    const wasOn = endpoint.enabled && (move?.from.enabled ?? true);
    const isOn = settings.enabled && (move?.to.enabled ?? true);
    return {
      row: { id, revision, websiteId, settings, before: stored },
      newParents: dependsOn.join() === before.join() ? null : dependsOn,
      isFreed: isFreed(before, dependsOn),
      moreChecks: checksPerSecond(settings) - checksPerSecond(stored),
      hasNewTarget: isChanged('url') || isChanged('type'),
      isStopped: wasOn && !isOn,
      isResumed: isOn && !wasOn,
      address,
      isAwaitedAgain: settings.heartbeat !== null && (isChanged('heartbeat') || isOn !== wasOn),
      scheduled: {
        endpointId: id,
        orgId,
        intervalSeconds: settings.intervalSeconds,
        timeoutSeconds: settings.timeoutSeconds,
        active: settings.enabled && isWebsiteOn,
        scheduled: this.settings.isScheduled(settings),
        revision,
        locations: settings.locations,
        isDueAtOnce: hasNewCheck || isNewAtLocal(stored, settings) || (isOn && !wasOn),
      },
      entry: {
        ...about(orgId, id),
        action: 'update',
        before: toAuditView(endpoint.websiteId, stored, before),
        after: toAuditView(websiteId, settings, dependsOn),
        hidden: MASKED_SETTINGS.filter(isChanged),
      },
    };
  }

  /** Cost: three statements, none if no dependency changes. */
  private async relink(tx: Tx, orgId: string, changed: readonly ChangedEndpoint[]): Promise<void> {
    const changes = changed.flatMap(({ row: { id }, newParents }) =>
      newParents ? [{ id, dependsOn: newParents }] : [],
    );
    if (changes.length === 0) return;
    await holdParents(tx, orgId, [...new Set(changes.flatMap(({ dependsOn }) => dependsOn))]);
    await saveParents(tx, changes);
    refuse(
      await savedCycleFindings(
        tx,
        changes.map(({ id }) => id),
      ),
    );
  }

  private async startNewStreak(tx: Tx, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.query(
      `WITH ${FORGET_LOCATIONS}
       UPDATE endpoint_state SET consecutive_failures = 0, consecutive_successes = 0, failing_since = NULL, status = $2, status_since = now(),
              consecutive_bad = 0, consecutive_good = 0, degraded_since = NULL, failing_unmuted_since = NULL, bad_unmuted_since = NULL, up_since = NULL, good_since = NULL,
              certificate_expires_at = NULL WHERE endpoint_id = ANY ($1::uuid[])`,
      [ids, OUTCOME_CODE.unknown],
    );
    await this.events.emit(new StatusEnded(ids), tx);
  }

  /**
   * A paused endpoint is neither up nor down, and a failure after the pause is a new outage. Streaks are kept, and
   * alerts continue to count (docs/decisions/0022-paused-time.md). A check that was running when the pause started says
   * nothing about the time after it, so its slot counts as recorded.
   */
  private async endStatus(tx: Tx, ids: readonly string[]): Promise<void> {
    await tx.query(
      `UPDATE endpoint_state s
          SET status = $2, status_since = clock_timestamp(), failing_since = NULL,
              degraded_since = NULL, failing_unmuted_since = NULL, bad_unmuted_since = NULL, up_since = NULL, good_since = NULL,
              last_slot_at = GREATEST(s.last_slot_at, CASE WHEN c.claimed_slot <= clock_timestamp() THEN c.claimed_slot END)
         FROM endpoint_schedule c
        WHERE s.endpoint_id = ANY ($1::uuid[]) AND c.endpoint_id = s.endpoint_id AND s.last_checked_at IS NOT NULL`,
      [ids, OUTCOME_CODE.unknown],
    );
    await this.events.emit(new StatusEnded(ids), tx);
  }
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'endpoint', id }) as const;

/** Returns true if the endpoint no longer depends on a parent that may have suppressed its alerts. */
const isFreed = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((parent) => !after.includes(parent));

/** Returns true if the service itself becomes a location of the endpoint. */
const isNewAtLocal = (before: EndpointSettings, after: EndpointSettings): boolean =>
  after.locations.includes(LOCAL_NAME) && !before.locations.includes(LOCAL_NAME);

/** An endpoint of a transaction, with the UUIDs of its parents. */
interface StoredEndpoint {
  endpoint: Endpoint & WithLocations;
  dependsOn: readonly string[];
}

interface SentChange extends StoredEndpoint {
  dto: UpdateEndpointDto;
  move: Move | null;
  /** The cycles that are already known. Others are found after the parents are saved. */
  cycles: Findings;
}

const websiteAfter = ({ endpoint, move }: SentChange): string => move?.to.id ?? endpoint.websiteId;

/** The result of changing an endpoint. */
interface ChangedEndpoint {
  row: SavedEndpoint;
  /** The UUIDs of the new parents, or `null` if the dependencies don't change. */
  newParents: readonly string[] | null;
  isFreed: boolean;
  /** The additional checks per second. */
  moreChecks: number;
  hasNewTarget: boolean;
  isStopped: boolean;
  isResumed: boolean;
  address: SentAddress;
  /** True for a heartbeat whose next expected ping must be recomputed. */
  isAwaitedAgain: boolean;
  scheduled: Scheduled & { isDueAtOnce: boolean };
  entry: Change;
}

const idsOf = (changed: readonly ChangedEndpoint[]): string[] => changed.map(({ row }) => row.id);

/** The two websites of a move, locked until the transaction ends. */
interface Move {
  from: Website;
  to: Website;
}

/** Returns the probes that an endpoint refers to after the change. */
const namedAfter = (stored: Pick<EndpointSettings, 'type' | 'url' | 'locations'>, dto: UpdateEndpointDto): string[] =>
  namedLocations({
    type: dto.type ?? stored.type,
    url: dto.url ?? stored.url,
    locations: dto.locations ?? stored.locations,
  });

/**
 * Refuses the change if another request has moved the endpoint since its websites were chosen. Locking other websites
 * now could deadlock.
 */
function refuseOvertakenMove(endpoint: Endpoint, { website_id }: UpdateEndpointDto, move: Move | null): void {
  const isWhereExpected = move
    ? endpoint.websiteId === move.from.id
    : website_id === undefined || parseId('website', website_id) === endpoint.websiteId;
  if (!isWhereExpected) throw problems.temporarilyUnavailable();
}

const otherWebsite = ({ website_id }: Pick<UpdateEndpointDto, 'website_id'>, made: string | undefined): Findings => {
  if (website_id === undefined || website_id === made) return NO_FINDINGS;
  const message = 'website_id must be the website in the path, or be left out';
  return { invalid: [{ pointer: '/website_id', code: 'immutable', message }], forbidden: [] };
};
